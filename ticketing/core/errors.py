"""Domain errors: each has a code for programs, a message for people, and an HTTP status."""

from typing import Any, ClassVar

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

Text = str | Promise


class DomainError(Exception):
    """A request that is refused for a known reason. Any other exception is a bug."""

    code: ClassVar[str] = "refused"
    status: int = 400
    message: ClassVar[Text] = _("This is not possible.")
    advice: ClassVar[Text] = ""
    retry_after: int | None = None
    # The page on which people can do what is missing; the details are its query.
    page: ClassVar[str] = ""
    # A middleware leads to a page of its own, also from the admin.
    has_own_page: ClassVar[bool] = False

    def __init__(self, *, retry_after: int | None = None, **details: Any) -> None:
        super().__init__(self.code)
        self.details = details
        if retry_after is not None:
            self.retry_after = retry_after

    def __str__(self) -> str:
        return str(self.message) % self.details if self.details else str(self.message)

    @property
    def minutes_to_wait(self) -> int:
        """`retry_after` in minutes, rounded up, for people."""
        return -(-(self.retry_after or 0) // 60)


class InvalidInput(DomainError):
    """The request is invalid; `details` says which field and why."""

    code = "invalid_input"
    message = _("Some of the information sent can't be used.")
    advice = _("Check the marked fields and send it again.")


class NotLoggedIn(DomainError):
    code = "not_logged_in"
    status = 401
    message = _("Please log in first.")


class NotAllowed(DomainError):
    code = "not_allowed"
    status = 403
    message = _("You don't have permission to do this.")
    advice = _("If you think this is wrong, please ask the organiser.")


class StaleForm(NotAllowed):
    code = "stale_form"
    message = _("This page was open for too long, or cookies are blocked.")
    advice = _("Reload the page and repeat the last step. Nothing was changed.")


class ForeignOrigin(NotAllowed):
    code = "foreign_origin"
    message = _("This request came from another site.")
    advice = _("Use the buttons on our own pages. Nothing was changed.")


class NotFound(DomainError):
    code = "not_found"
    status = 404
    message = _("Not found.")
    advice = _("The address may be mistyped, or the page no longer exists.")


class MethodNotAllowed(DomainError):
    code = "method_not_allowed"
    status = 405
    message = _("This kind of request is not supported here.")


class TooLarge(DomainError):
    code = "too_large"
    status = 413
    message = _("The request is too large.")


class IllegalMove(DomainError):
    """A state change that the model's `MOVES` do not allow."""

    code = "illegal_move"
    status = 409
    message = _("It can't go from “%(before)s” to “%(after)s”.")
    advice = _("Someone else may have changed it first. Reload the page to see the current state.")


class TooManyRequests(DomainError):
    code = "too_many_requests"
    status = 429
    message = _("Too many requests.")
    advice = _("Wait a moment, then try again.")
    retry_after = 60


class TooManyConnections(TooManyRequests):
    code = "too_many_connections"
    message = _("Too many pages are open at the same time.")
    advice = _("Close some of them, then try again.")


class Broken(DomainError):
    """A bug. The message reveals nothing; the log has the details."""

    code = "server_error"
    status = 500
    message = _("Something went wrong on our side.")
    advice = _("We have been notified. Nothing was left half-done; please try again.")


class Overloaded(DomainError):
    """This process is behind; what is not urgent has to wait."""

    code = "overloaded"
    status = 503
    message = _("We are very busy right now. Please wait a few seconds.")
    advice = _("This page reloads automatically. Your place and your seats are kept.")
    retry_after = 3


class Unavailable(DomainError):
    """The database or Redis cannot be reached."""

    code = "unavailable"
    status = 503
    message = _("The service is briefly unavailable.")
    advice = _(
        "This page tries again automatically in a few seconds. Your place and your seats are kept."
    )
    retry_after = 5

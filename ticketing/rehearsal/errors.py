"""Refusals of the rehearsal API and its commands."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotFound


class RehearsalNotFound(NotFound):
    code = "no_rehearsal"
    message = _("There is no such rehearsal.")


class NoUpcomingSale(NotFound):
    code = "nothing_to_rehearse"
    message = _("No sale with a queue and seats is coming up.")
    advice = _("Name the event that is to be rehearsed.")


class RehearsalAlreadyRunning(DomainError):
    """Two rehearsals at once would distort each other's measurements."""

    code = "another_rehearsal"
    status = 409
    message = _("Another rehearsal is under way: %(code)s.")
    advice = _("Wait until it is over, or stop it.")


class RehearsalOver(DomainError):
    code = "rehearsal_over"
    status = 409
    message = _("This rehearsal is over.")


class RehearsalOfRehearsal(DomainError):
    code = "rehearsal_of_rehearsal"
    status = 409
    message = _("A rehearsal can't be rehearsed.")


class NoSandbox(DomainError):
    code = "no_sandbox"
    status = 409
    message = _("This site charges real cards, so gateway faults can't be simulated.")


class NoSuperuser(Exception):
    """There is no account that the command could act for."""

"""Errors of events and seats."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError


class NoSeats(DomainError):
    code = "no_seats"
    status = 409
    message = _("This event has no seats yet.")
    advice = _("Create the seats from the plan first.")


class SeatsExist(DomainError):
    code = "seats_exist"
    status = 409
    message = _("This event already has its seats.")


class GradesMissing(DomainError):
    code = "grades_missing"
    status = 409
    message = _("The plan uses grades that the event has no price for: %(codes)s.")
    advice = _("Add these price grades to the event, then try again.")


class ApprovalNeeded(DomainError):
    """The request was stored; another person carries it out by approving it."""

    code = "approval_needed"
    has_own_page = True
    status = 409
    message = _("This needs a second person: request %(number)s was made.")
    advice = _("Another person with the permission approves it in the console, within an hour.")


class OwnRequest(DomainError):
    code = "own_request"
    status = 403
    message = _("Nobody approves their own request.")


class ApprovalExpired(DomainError):
    code = "approval_expired"
    status = 409
    message = _("This request has expired.")
    advice = _("Ask for it again if it is still wanted.")

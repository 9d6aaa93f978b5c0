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

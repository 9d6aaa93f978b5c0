"""Refusals of exports and deletions."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError


class MoneyUnderWay(DomainError):
    """A payment or refund of the person is not settled."""

    code = "money_under_way"
    status = 409
    message = _("A payment or refund of yours is under way.")
    advice = _("Wait until it is settled, usually a minute, then delete your account.")


class TicketsLeft(DomainError):
    """The person has tickets for what is still to come, and did not say that they know."""

    code = "tickets_left"
    status = 409
    message = _("You have tickets for upcoming events.")
    advice = _("Cancel them, give them to somebody, or save them before you delete your account.")


class StaffAccount(DomainError):
    code = "staff_account"
    status = 409
    message = _("Accounts of staff are deleted by an administrator.")

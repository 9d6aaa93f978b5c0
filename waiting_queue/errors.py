"""Errors of the queue."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotAllowed, NotFound, Unavailable


class NoQueue(NotFound):
    code = "no_queue"
    message = _("This event has no queue.")


class QueueUnavailable(Unavailable):
    """Redis has lost the line; the tick rebuilds it from the journal."""

    code = "queue_unavailable"
    message = _("The queue is being restored.")
    advice = _("Everyone keeps their number. This page tries again by itself in a few seconds.")


class QueueNotOpen(DomainError):
    code = "queue_not_open"
    status = 409
    message = _("The queue is not open yet.")
    advice = _("Come back when it opens; there is nothing to gain by trying now.")


class QueueOver(DomainError):
    code = "queue_over"
    status = 409
    message = _("The queue is closed.")


class QueueFull(DomainError):
    code = "queue_full"
    status = 409
    message = _("The line is full.")
    advice = _("Try again in a few minutes: places become free when people leave.")
    retry_after = 60


class Blocked(NotAllowed):
    code = "blocked"
    message = _("You were moved out of this line: %(why)s")
    advice = _("If this is a mistake, write to the organiser.")


class InAnotherLine(DomainError):
    code = "in_another_line"
    status = 409
    message = _("You already stand in another line.")
    advice = _("Leave it first, or wait there.")


class NotYourTurn(DomainError):
    code = "not_your_turn"
    status = 409
    message = _("It is not your turn yet.")
    advice = _("Keep the page open: it tells you when it is.")


class TooLate(DomainError):
    code = "too_late"
    status = 409
    message = _("Your turn has passed to the next in line.")
    advice = _("You can join again at the end of the line.")


class NotInLine(DomainError):
    code = "not_in_line"
    status = 409
    message = _("You are not in this line.")
    advice = _("Join it first.")


class NotAdmitted(NotAllowed):
    code = "not_admitted"
    message = _("This is for people whose turn it is.")
    advice = _("Join the line; it takes you here when it is your turn.")


class BadQueueToken(NotAllowed):
    code = "bad_queue_token"
    status = 401
    message = _("This queue token is not valid any more.")
    advice = _("Join the line again.")


class NotBlocked(DomainError):
    code = "not_blocked"
    status = 409
    message = _("You are not blocked in this line.")
    advice = _("You can join it like everybody else.")


class AppealWaits(DomainError):
    code = "appeal_waits"
    status = 409
    message = _("You wrote already, and nobody has answered yet.")
    advice = _("The answer appears on the page of the line.")


class AppealsUsedUp(DomainError):
    code = "appeals_used_up"
    status = 409
    message = _("You have written often enough: the answer stands.")


# -- raised to operators --------------------------------------------------------------------------


class QueueExists(DomainError):
    code = "queue_exists"
    status = 409
    message = _("This event already has a queue.")


class QueueNotBegun(DomainError):
    code = "queue_not_begun"
    status = 409
    message = _("This queue has not begun, or is over: nobody stands in it.")


class PersonUnknown(NotFound):
    code = "person_unknown"
    message = _("Nobody here has this e-mail address.")
    advice = _("Check the spelling; it is the address that they log in with.")


class NumberUnknown(NotFound):
    code = "number_unknown"
    message = _("Nobody has this number in this line.")
    advice = _("Enter the number from their page, or their e-mail address.")


class PersonNotInLine(DomainError):
    code = "person_not_in_line"
    status = 409
    message = _("This person is not in the line.")
    advice = _("They may have left, or their time ran out, a moment ago.")


class PersonNotBlocked(DomainError):
    code = "person_not_blocked"
    status = 409
    message = _("This person is not blocked.")

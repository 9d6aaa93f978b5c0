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
    advice = _("Everyone keeps their number. This page tries again automatically in a few seconds.")


class QueueNotOpen(DomainError):
    code = "queue_not_open"
    status = 409
    message = _("The queue is not open yet.")
    advice = _("Come back when it opens; trying now gives no advantage.")


class QueueOver(DomainError):
    code = "queue_over"
    status = 409
    message = _("The queue is closed.")


class QueueFull(DomainError):
    code = "queue_full"
    status = 409
    message = _("The line is full.")
    advice = _("Try again in a few minutes: places open up when people leave.")
    retry_after = 60


class Blocked(NotAllowed):
    code = "blocked"
    message = _("You were removed from this line: %(why)s")
    advice = _("If this is a mistake, write to the organiser.")


class InAnotherLine(DomainError):
    code = "in_another_line"
    status = 409
    message = _("You are already in another line.")
    advice = _("Leave it first, or wait there.")


class NotYourTurn(DomainError):
    code = "not_your_turn"
    status = 409
    message = _("It is not your turn yet.")
    advice = _("Keep the page open: we'll tell you when it is your turn.")


class TooLate(DomainError):
    code = "too_late"
    status = 409
    message = _("Your turn has gone to the next person in line.")
    advice = _("You can join again at the end of the line.")


class NotInLine(DomainError):
    code = "not_in_line"
    status = 409
    message = _("You are not in this line.")
    advice = _("Join it first.")


class NotAdmitted(NotAllowed):
    code = "not_admitted"
    message = _("This is only for people whose turn it is.")
    advice = _("Join the line; you will be taken here when it is your turn.")


class BadQueueToken(NotAllowed):
    code = "bad_queue_token"
    status = 401
    message = _("This queue token is no longer valid.")
    advice = _("Join the line again.")


class NotBlocked(DomainError):
    code = "not_blocked"
    status = 409
    message = _("You are not blocked in this line.")
    advice = _("You can join it like everyone else.")


class AppealWaits(DomainError):
    code = "appeal_waits"
    status = 409
    message = _("You have already sent a message, and it has not been answered yet.")
    advice = _("The reply will appear on the waiting page.")


class AppealsUsedUp(DomainError):
    code = "appeals_used_up"
    status = 409
    message = _("You have used all your appeals. The decision stands.")


# -- raised to operators --------------------------------------------------------------------------


class QueueExists(DomainError):
    code = "queue_exists"
    status = 409
    message = _("This event already has a queue.")


class QueueNotBegun(DomainError):
    code = "queue_not_begun"
    status = 409
    message = _("This queue has not started or is over: nobody is in it.")


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

"""What fans in line are refused."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotAllowed, NotFound, TooManyRequests, Unavailable


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


class LimitReached(DomainError):
    code = "limit_reached"
    status = 409
    message = _("You have as many seats for this event as one person may have.")
    advice = _("You can join again if you release or cancel some of them.")


class InAnotherLine(DomainError):
    code = "in_another_line"
    status = 409
    message = _("You are already in another line.")
    advice = _("Leave it first, or wait there.")


class TooManyMoves(TooManyRequests):
    code = "too_many_moves"
    message = _("You have joined and left this line too often.")
    advice = _("Wait a minute, then join again.")


class TooManyPages(TooManyRequests):
    code = "too_many_pages"
    message = _("You have this waiting page open too many times.")
    advice = _("Close the other tabs. You keep your place in line.")


class ChallengeRequired(NotAllowed):
    """In a rush; `challenge` in the details is solved and sent with the next try."""

    code = "challenge_required"
    message = _("Many people are joining. Please confirm that you are not a robot.")
    advice = _("This page does it by itself within a few seconds.")


class CoolingDown(TooManyRequests):
    """Holds ran out again and again: of this person, their browser, or many of their network."""

    code = "cooling_down"
    message = _("Seats were held several times without being bought. Please pause for a moment.")
    advice = _("You keep your place. You can choose seats again in a few minutes.")


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


class PassElsewhere(NotAllowed):
    """Another browser of the same person has the pass."""

    code = "pass_elsewhere"
    message = _("You are choosing seats in another browser.")
    advice = _("Go on here to choose in this one instead.")


class DrawSecretsUnreadable(Unavailable):
    """No key of the environment opens the draw's secrets (`DRAW_KEY`): the draw has to wait."""

    code = "draw_secrets_unreadable"
    message = _("The draw can’t be shown right now.")


class BadQueueToken(NotAllowed):
    code = "bad_queue_token"
    status = 401
    message = _("This queue token is no longer valid.")
    advice = _("Join the line again.")


class NotBlocked(DomainError):
    code = "not_blocked"
    status = 409
    message = _("You are neither blocked in this line nor moved to its end.")
    advice = _("There is nothing to appeal against.")


class AppealWaits(DomainError):
    code = "appeal_waits"
    status = 409
    message = _("You have already sent a message, and it has not been answered yet.")
    advice = _("The reply will appear on the waiting page.")


class AppealsUsedUp(DomainError):
    code = "appeals_used_up"
    status = 409
    message = _("You have used all your appeals. The decision stands.")

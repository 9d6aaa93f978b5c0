"""Every refusal of payments."""

from django.utils.translation import gettext_lazy as _

from ticketing.core.errors import DomainError, NotFound


class NoPayment(NotFound):
    code = "no_payment"
    message = _("You have no such payment.")


class RehearsalNotCharged(DomainError):
    """Orders of a rehearsal are never charged at a real gateway."""

    code = "rehearsal_moves_no_money"
    status = 409
    message = _("This is a rehearsal: nothing is charged here.")


class KeyReused(DomainError):
    """The client's key belongs to another payment already."""

    code = "payment_key_reused"
    status = 409
    message = _("This payment key was used for something else.")
    advice = _("Make up a new one for each order.")


class PaymentOver(DomainError):
    """It was cancelled; another one may be started."""

    code = "payment_over"
    status = 409
    message = _("This payment has ended.")
    advice = _("Start a new one while your seats are kept.")


class PaymentsPaused(DomainError):
    """The gateway does not answer, or the breaker is open. Nothing was charged."""

    code = "payments_paused"
    status = 503
    message = _("Payment is not possible at the moment.")
    advice = _("Nothing was charged and your seats are kept. Try again in a moment.")
    retry_after = 5


class NotRefundable(DomainError):
    code = "not_refundable"
    status = 409
    message = _("This payment can't be refunded now.")


class RefundInProgress(NotRefundable):
    """Another refund of the same order is under way; there is one at a time."""

    code = "refund_in_progress"
    message = _("Another refund of this order is in progress.")
    advice = _("Try again when it is done, in a moment.")


class TooMuchToRefund(DomainError):
    """`left` is the amount that can still be refunded."""

    code = "too_much_to_refund"
    status = 409
    message = _("At most %(left)s can be refunded.")


class TooLateToCancel(DomainError):
    code = "too_late_to_cancel"
    status = 409
    message = _("It is too late to cancel these tickets.")


class FeeChanged(DomainError):
    """The fan agreed to another fee; `fee` is the present one."""

    code = "fee_changed"
    status = 409
    message = _("The cancellation fee has changed.")
    advice = _("Look at it again, then decide.")


class BadWebhook(DomainError):
    """The signature is missing, wrong or too old."""

    code = "bad_webhook"
    status = 400
    message = _("This message can't be trusted.")


class VerificationRefused(DomainError):
    """Nobody was verified under this number, or it is old or another account's."""

    code = "verification_refused"
    message = _("Your identity could not be verified.")
    advice = _("Begin again from the event’s page. Nothing was stored.")


class IdentityPaused(DomainError):
    """The gateway does not answer. Loading the page again asks it again."""

    code = "identity_paused"
    status = 503
    message = _("The verification service does not answer at the moment.")
    advice = _("This page tries again in a few seconds. Your place and your seats are kept.")
    retry_after = 5

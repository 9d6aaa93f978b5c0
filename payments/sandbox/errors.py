"""PortOne's error types. They are for programs; no fan sees them."""

from typing import Any, ClassVar


class Refusal(Exception):
    """Answered as `{"type": …, "message": …}` with PortOne's status."""

    type: ClassVar[str]
    status: ClassVar[int] = 400

    def __init__(self, message: str = "", **more: Any) -> None:
        super().__init__(self.type)
        self.message, self.more = message or (self.__doc__ or self.type), more

    @property
    def body(self) -> dict[str, Any]:
        return {"type": self.type, "message": self.message, **self.more}


class InvalidRequest(Refusal):
    """The request can't be understood."""

    type = "INVALID_REQUEST"


class Unauthorized(Refusal):
    """The API secret is missing or wrong."""

    type = "UNAUTHORIZED"
    status = 401


class Forbidden(Refusal):
    """This secret doesn't open that store."""

    type = "FORBIDDEN"
    status = 403


class PaymentNotFound(Refusal):
    """There is no such payment."""

    type = "PAYMENT_NOT_FOUND"
    status = 404


class VerificationNotFound(Refusal):
    """There is no such identity verification."""

    type = "IDENTITY_VERIFICATION_NOT_FOUND"
    status = 404


class AlreadyPaid(Refusal):
    """This payment was paid before."""

    type = "ALREADY_PAID"
    status = 409


class InvalidPaymentToken(Refusal):
    """The payment token is not the one that the window gave."""

    type = "INVALID_PAYMENT_TOKEN"


class InformationMismatch(Refusal):
    """Amount, currency or transaction are not those of the payment."""

    type = "INFORMATION_MISMATCH"
    status = 409


class PgProvider(Refusal):
    """The card company said no; `pgCode` and `pgMessage` say why."""

    type = "PG_PROVIDER"
    status = 502


class PaymentNotPaid(Refusal):
    """Only what was paid can be given back."""

    type = "PAYMENT_NOT_PAID"
    status = 409


class PaymentAlreadyCancelled(Refusal):
    """Everything was given back before."""

    type = "PAYMENT_ALREADY_CANCELLED"
    status = 409


class CancelAmountExceeds(Refusal):
    """More than there is left can't be given back."""

    type = "CANCEL_AMOUNT_EXCEEDS_CANCELLABLE_AMOUNT"
    status = 409


class CancellableAmountBroken(Refusal):
    """What is left is not what the caller believes."""

    type = "CANCELLABLE_AMOUNT_CONSISTENCY_BROKEN"
    status = 409


class WebhookNotFound(Refusal):
    """There is no such webhook."""

    type = "WEBHOOK_NOT_FOUND"
    status = 404


class MaxWebhookRetries(Refusal):
    """This webhook was sent often enough."""

    type = "MAX_WEBHOOK_RETRY_COUNT_REACHED"
    status = 409


class OutstandingRequest(Refusal):
    """A request with this idempotency key is still being worked on."""

    type = "IDEMPOTENCY_OUTSTANDING_REQUEST"
    status = 409

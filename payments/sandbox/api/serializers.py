"""PortOne's JSON, with every field that its SDK requires."""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.conf import settings

from payments.sandbox.models import Cancellation, Payment, Verification, Webhook
from payments.sandbox.webhooks import MAX_SENDINGS, timestamp

State = Payment.State
VAT_DIVISOR = 11
CHANNEL = {
    "type": "TEST",
    "id": "channel-id-sandbox",
    "name": "Sandbox",
    "pgMerchantId": "sandbox",
}


@dataclass(frozen=True)
class Ledger:
    """What belongs to a payment."""

    charged: int
    refunded: int
    webhooks: Iterable[Webhook]
    cancellations: Iterable[Cancellation]

    @classmethod
    def of(cls, payment: Payment) -> "Ledger":
        webhooks, cancellations = payment.webhooks.order_by("pk"), payment.cancellations
        return cls(payment.charged, payment.refunded, webhooks, cancellations.order_by("pk"))


def charge_body(payment: Payment) -> dict[str, Any]:
    """The body for a payment that was charged just now."""
    paid = {"paidAt": timestamp(payment.paid_at)} if payment.paid_at else {}
    return {"pgTxId": f"pg-{payment.transaction_id}"} | paid


def payment_body(payment: Payment, ledger: Ledger | None = None) -> dict[str, Any]:
    ledger = ledger or Ledger.of(payment)
    body = _common_fields(payment, ledger)
    if payment.state == State.FAILED:
        body |= {"failedAt": timestamp(payment.changed_at), "failure": _failure(payment)}
    if payment.state == State.PAY_PENDING or payment.state in Payment.CHARGED:
        body["pgTxId"] = f"pg-{payment.transaction_id}"
    if payment.state in Payment.CHARGED and payment.paid_at:
        body |= {"paidAt": timestamp(payment.paid_at), "disputes": [], "method": _card()}
    if payment.state in (State.PARTIAL_CANCELLED, State.CANCELLED):
        body["cancelledAt"] = timestamp(payment.changed_at)
    if payment.state in Payment.CHARGED:
        body["cancellations"] = [cancellation_body(one) for one in ledger.cancellations]
    return body


def _common_fields(payment: Payment, ledger: Ledger) -> dict[str, Any]:
    return {
        "status": payment.state,
        "id": payment.payment_id,
        "transactionId": payment.transaction_id,
        "merchantId": "merchant-sandbox",
        "storeId": settings.PORTONE_STORE_ID,
        "channel": CHANNEL | {"key": payment.channel_key, "pgProvider": "TOSSPAYMENTS"},
        "version": "V2",
        "requestedAt": timestamp(payment.opened_at or payment.changed_at),
        "updatedAt": timestamp(payment.changed_at),
        "statusChangedAt": timestamp(payment.changed_at),
        "orderName": payment.order_name,
        "amount": _amount(payment, ledger),
        "currency": payment.currency,
        "customer": {},
        "origin": {"platformType": "PC", "ipAddress": str(payment.address)},
        "webhooks": [webhook_body(one) for one in ledger.webhooks],
    }


def verification_body(found: Verification) -> dict[str, Any]:
    body = {
        "status": found.state,
        "id": found.number,
        "channel": CHANNEL | {"key": settings.PORTONE_IDENTITY_CHANNEL_KEY, "pgProvider": "DANAL"},
        "requestedCustomer": {},
        "requestedAt": timestamp(found.opened_at),
        "updatedAt": timestamp(found.changed_at),
        "statusChangedAt": timestamp(found.changed_at),
        "version": "V2",
    }
    if found.state == Verification.State.VERIFIED:
        body |= {
            "verifiedCustomer": {
                "name": found.name,
                "phoneNumber": "".join(filter(str.isdecimal, found.phone)),
                "birthDate": f"{found.birth_date}",
                "ci": found.unique_value,
            },
            "verifiedAt": timestamp(found.changed_at),
            "pgTxId": f"pg-{found.number}",
            "pgRawResponse": "{}",
        }
    return body


def _amount(payment: Payment, ledger: Ledger) -> dict[str, int]:
    total = ledger.charged or payment.amount or 0
    return {
        "total": total,
        "taxFree": 0,
        "vat": total // VAT_DIVISOR,
        "supply": total - total // VAT_DIVISOR,
        "discount": 0,
        "paid": ledger.charged,
        "cancelled": ledger.refunded,
        "cancelledTaxFree": 0,
    }


def _failure(payment: Payment) -> dict[str, str]:
    message = payment.failure_message
    return {"reason": message, "pgCode": payment.failure_code, "pgMessage": message}


def _card() -> dict[str, Any]:
    card = {"name": "Sandbox", "number": "0000-00**-****-0000"}
    return {"type": "PaymentMethodCard", "card": card, "approvalNumber": "00000000"}


def cancellation_body(cancellation: Cancellation) -> dict[str, Any]:
    body = {
        "status": cancellation.state,
        "id": cancellation.cancellation_id,
        "totalAmount": cancellation.amount,
        "taxFreeAmount": 0,
        "vatAmount": cancellation.amount // VAT_DIVISOR,
        "reason": cancellation.reason,
        "requestedAt": timestamp(cancellation.requested_at),
        "trigger": "API",
    }
    if cancellation.cancelled_at:
        body["cancelledAt"] = timestamp(cancellation.cancelled_at)
    return body


def webhook_body(webhook: Webhook) -> dict[str, Any]:
    body: dict[str, Any] = {
        "id": webhook.webhook_id,
        "url": webhook.url,
        "paymentStatus": webhook.payment_state,
        "isAsync": False,
        "currentExecutionCount": webhook.sendings,
        "maxExecutionCount": MAX_SENDINGS,
        "triggeredAt": timestamp(webhook.made_at),
        "request": {"body": webhook.body},
    }
    if webhook.sendings:
        taken = 200 <= (webhook.status or 0) < 300
        body["status"] = "SUCCEEDED" if taken else "FAILED_NOT_OK_RESPONSE"
    return body

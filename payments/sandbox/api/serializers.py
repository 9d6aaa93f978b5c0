"""PortOne's JSON, with every field that its SDK requires."""

from typing import Any

from django.conf import settings

from payments.sandbox.models import Cancellation, Payment, Webhook
from payments.sandbox.webhooks import MAX_SENDINGS, timestamp

State = Payment.State
VAT_DIVISOR = 11


def payment_body(payment: Payment) -> dict[str, Any]:
    body = _common_fields(payment)
    if payment.state == State.FAILED:
        body |= {"failedAt": timestamp(payment.changed_at), "failure": _failure(payment)}
    if payment.state == State.PAY_PENDING or payment.state in Payment.CHARGED:
        body["pgTxId"] = f"pg-{payment.transaction_id}"
    if payment.state in Payment.CHARGED and payment.paid_at:
        body |= {"paidAt": timestamp(payment.paid_at), "disputes": [], "method": _card()}
    if payment.state in (State.PARTIAL_CANCELLED, State.CANCELLED):
        body["cancelledAt"] = timestamp(payment.changed_at)
    if payment.state in Payment.CHARGED:
        cancellations = payment.cancellations.order_by("pk")
        body["cancellations"] = [cancellation_body(one) for one in cancellations]
    return body


def _common_fields(payment: Payment) -> dict[str, Any]:
    return {
        "status": payment.state,
        "id": payment.payment_id,
        "transactionId": payment.transaction_id,
        "merchantId": "merchant-sandbox",
        "storeId": settings.PORTONE_STORE_ID,
        "channel": _channel(payment),
        "version": "V2",
        "requestedAt": timestamp(payment.opened_at or payment.changed_at),
        "updatedAt": timestamp(payment.changed_at),
        "statusChangedAt": timestamp(payment.changed_at),
        "orderName": payment.order_name,
        "amount": _amount(payment),
        "currency": payment.currency,
        "customer": {},
        "origin": {"platformType": "PC", "ipAddress": payment.address},
        "webhooks": [webhook_body(one) for one in payment.webhooks.order_by("pk")],
    }


def _channel(payment: Payment) -> dict[str, str]:
    return {
        "type": "TEST",
        "id": "channel-id-sandbox",
        "key": payment.channel_key,
        "name": "Sandbox",
        "pgProvider": "TOSSPAYMENTS",
        "pgMerchantId": "sandbox",
    }


def _amount(payment: Payment) -> dict[str, int]:
    charged = payment.charged
    total = charged or payment.amount or 0
    return {
        "total": total,
        "taxFree": 0,
        "vat": total // VAT_DIVISOR,
        "supply": total - total // VAT_DIVISOR,
        "discount": 0,
        "paid": charged,
        "cancelled": payment.refunded,
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

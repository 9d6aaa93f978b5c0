"""Payments in JSON."""

from datetime import datetime
from functools import cache
from typing import Any

from rest_framework import serializers

from payments.models import Payment
from payments.services import CancellationTerms

# How often clients should poll while a charge or refund is not settled.
POLL_MS = 2_000


class StartSerializer(serializers.Serializer):
    reservation = serializers.CharField(max_length=12, help_text="Its code.")
    token = serializers.CharField(max_length=200, help_text="`qp_…`, as given with the hold.")
    payment_key = serializers.UUIDField(
        help_text="Chosen by you; a repeat with the same key finds the first one's payment."
    )
    consents = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        max_length=20,
        default=list,
        help_text="Ids of the documents that the fan has agreed to, from `/documents/`.",
    )


class ConfirmSerializer(serializers.Serializer):
    payment_token = serializers.CharField(
        max_length=300, allow_blank=True, default="", help_text="PortOne's, from the window."
    )
    transaction_id = serializers.CharField(
        max_length=100, allow_blank=True, default="", help_text="PortOne's `txId`."
    )


class CancelSerializer(serializers.Serializer):
    fee = serializers.IntegerField(min_value=0, help_text="The fee that you agreed to.")
    seats = serializers.ListField(
        child=serializers.IntegerField(min_value=1, max_value=2**63 - 1),
        allow_null=True,
        default=None,
        min_length=1,
        max_length=100,
        help_text="Only these seats, by id; the others stay yours. Without it, the whole order.",
    )


class CheckoutSerializer(serializers.Serializer):
    """For PortOne's script in the browser."""

    store_id = serializers.CharField()
    channel_key = serializers.CharField()
    payment_id = serializers.CharField()
    order_name = serializers.CharField()
    total_amount = serializers.IntegerField()
    currency = serializers.CharField()


class PaymentSerializer(serializers.Serializer):
    number = serializers.CharField(help_text="The server's name for it, PortOne's `paymentId`.")
    payment_key = serializers.UUIDField()
    event = serializers.IntegerField()
    reservation = serializers.CharField()
    state = serializers.ChoiceField([state.value.upper() for state in Payment.State])
    amount = serializers.IntegerField(help_text="In the currency's smallest unit.")
    currency = serializers.CharField()
    refunded = serializers.IntegerField()
    failure = serializers.CharField(allow_null=True, help_text="The gateway's reason, on FAILED.")
    deadline = serializers.DateTimeField(help_text="Until then the seats are kept to be paid.")
    next_poll_ms = serializers.IntegerField(
        allow_null=True, help_text="CHARGING, REFUNDING: not settled yet, poll again after this."
    )
    server_time = serializers.DateTimeField()
    checkout = CheckoutSerializer(allow_null=True, help_text="While it can be paid.")


class SeatTermsSerializer(serializers.Serializer):
    id = serializers.IntegerField()
    fee = serializers.IntegerField()
    back = serializers.IntegerField()
    obstacle = serializers.CharField(
        allow_null=True, help_text="Why it can't be cancelled: `ticket_used`, `handed_over`."
    )


class CancelTermsSerializer(serializers.Serializer):
    percent = serializers.IntegerField()
    at_most = serializers.IntegerField(
        allow_null=True, help_text="If the fee is a fixed amount: so much for each ticket."
    )
    fee = serializers.IntegerField(
        help_text="Kept for all seats that can be cancelled, in the currency's smallest unit."
    )
    back = serializers.IntegerField(help_text="Refunded.")
    seats = SeatTermsSerializer(many=True)


def payment_body(
    payment: Payment, now: datetime, checkout: dict[str, Any] | None = None
) -> dict[str, Any]:
    reservation = payment.reservation
    is_unknown = payment.state in (Payment.State.CHARGING, Payment.State.REFUNDING)
    return {
        "number": payment.number,
        "payment_key": str(payment.payment_key),
        "event": reservation.event_id,
        "reservation": reservation.code,
        "state": payment.state.upper(),
        "amount": payment.amount,
        "currency": payment.currency,
        "refunded": payment.refunded,
        "failure": payment.failure_code or None,
        "deadline": reservation.deadline,
        "next_poll_ms": POLL_MS if is_unknown else None,
        "server_time": now,
        "checkout": checkout,
    }


def terms_body(terms: CancellationTerms) -> dict[str, Any]:
    return {
        "percent": terms.rate.percent,
        "at_most": terms.rate.amount,
        "fee": terms.fee,
        "back": terms.refund,
        "seats": [
            {
                "id": each.seat["id"],
                "fee": each.fee,
                "back": each.refund,
                "obstacle": each.obstacle.code if each.obstacle else None,
            }
            for each in terms.seats
        ],
    }


def validated(serializer: Any, data: Any) -> dict[str, Any]:
    """What the serializer reads; raises REST framework's ValidationError."""
    return _reader(serializer).run_validation(data)


@cache
def _reader(serializer: Any) -> Any:
    """Made once: an instance for each request would copy all fields, which costs more than reading.

    It reads without keeping anything of the data.
    """
    return serializer()

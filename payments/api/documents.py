"""The OpenAPI documentation of payments, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiRequest, OpenApiResponse

from payments import errors
from payments.api.serializers import (
    CancelSerializer,
    CancelTermsSerializer,
    ConfirmSerializer,
    PaymentSerializer,
    StartSerializer,
)
from reservations import errors as reservations
from ticketing.accounts.errors import ConsentMissing, IdentityNotVerified, TooYoung
from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals

AUTH: list[dict[str, list[str]]] = [{"session": []}, {"token": []}]
NUMBER = "pay-0f8fad5bd9cb469fa16570867728950e"
PREPARED: dict[str, Any] = {
    "number": NUMBER,
    "payment_key": "7c9e6679-7425-40de-944b-e07fc1f90ae7",
    "event": 7,
    "reservation": "K7QF2M9XTP",
    "state": "PREPARED",
    "amount": 308000,
    "currency": "KRW",
    "refunded": 0,
    "failure": None,
    "deadline": "2027-03-02T20:14:30.250000+09:00",
    "next_poll_ms": None,
    "server_time": "2027-03-02T20:04:30.250000+09:00",
    "checkout": {
        "store_id": "store-00000000",
        "channel_key": "channel-key-00000000",
        "payment_id": NUMBER,
        "order_name": "Moonlight Concert",
        "total_amount": 308000,
        "currency": "KRW",
    },
}
PAID = PREPARED | {"state": "SUCCEEDED", "checkout": None}
CHARGING = PREPARED | {"state": "CHARGING", "checkout": None, "next_poll_ms": 2000}
REFUNDED = PAID | {"state": "REFUNDED", "refunded": 308000}
REFUNDING = PAID | {"state": "REFUNDING", "next_poll_ms": 2000}
OWN = [core.NotLoggedIn(), errors.NoPayment(), core.Unavailable()]
CHANGES = [core.InvalidInput(), core.ForeignOrigin(), *OWN]
NOT_CANCELLABLE = [errors.NotRefundable(), errors.TooLateToCancel()]


def call(operation_id: str, summary: str, description: str, **more: Any) -> dict[str, Any]:
    return {
        "operation_id": operation_id,
        "summary": summary,
        "description": description,
        "tags": ["payments"],
        "auth": AUTH,
    } | more


START = call(
    "start_payment",
    "Start paying for a reservation",
    "The hold can't expire until the payment is settled. A repeat, or another tab, finds the "
    "same payment.",
    request=OpenApiRequest(StartSerializer),
    responses={201: OpenApiResponse(PaymentSerializer, "Begun.", [example(PREPARED, status=201)])}
    | refusals(
        reservations.NoReservation(),
        reservations.BadPaymentToken(),
        reservations.HoldExpired(),
        errors.KeyReused(),
        ConsentMissing(documents=[{"id": 3, "kind": "third_party", "version": 1}]),
        core.IllegalMove(before="ran out", after="being paid"),
        errors.PaymentsPaused(),
        *(IdentityNotVerified(event=7), TooYoung(age=19)),
        *CHANGES,
    ),
)
CONFIRM = call(
    "confirm_payment",
    "Charge a payment",
    "After the payer agreed in the browser. Waits ten seconds at most; then 202 and `CHARGING`: "
    "the seats are kept, a worker goes on, poll again after `next_poll_ms`. A repeat returns the "
    "result of the first call.",
    request=OpenApiRequest(ConfirmSerializer),
    responses={
        200: OpenApiResponse(PaymentSerializer, "Settled.", [example(PAID)]),
        202: OpenApiResponse(
            PaymentSerializer, "Not settled yet.", [example(CHARGING, status=202)]
        ),
    }
    | refusals(errors.PaymentOver(), errors.PaymentsPaused(), *CHANGES),
)
SHOW = call(
    "show_payment",
    "One of my payments",
    "Another person's is not found.",
    responses={200: PaymentSerializer} | refusals(*OWN),
    examples=[example(PAID)],
)
CANCEL_TERMS = call(
    "show_cancel_terms",
    "The cancellation fee if the order is cancelled now",
    "By the terms that the order was sold under: free soon after the order, then rising. For each "
    "seat, and for all that can be cancelled together.",
    responses={200: CancelTermsSerializer} | refusals(*NOT_CANCELLABLE, *OWN),
    examples=[
        example(
            {
                "percent": 10,
                "at_most": None,
                "fee": 15400,
                "back": 138600,
                "seats": [
                    {"id": 101, "fee": 15400, "back": 138600, "obstacle": None},
                    {"id": 102, "fee": 15400, "back": 138600, "obstacle": "ticket_used"},
                ],
            }
        )
    ],
)
CANCEL = call(
    "cancel_order",
    "Cancel an order, or some of its seats",
    "With the fee that was shown; if the fee has changed, nothing happens. The seats are released "
    "once the money is refunded; the tickets of the others stay valid. A repeat with the same fee "
    "and seats returns the result of the first call.",
    request=OpenApiRequest(CancelSerializer),
    responses={
        200: OpenApiResponse(PaymentSerializer, "Refunded.", [example(REFUNDED)]),
        202: OpenApiResponse(
            PaymentSerializer, "Not settled yet.", [example(REFUNDING, status=202)]
        ),
    }
    | refusals(
        errors.FeeChanged(fee=30800),
        errors.RefundInProgress(),
        reservations.TicketUsed(),
        reservations.TicketTransferred(),
        *NOT_CANCELLABLE,
        *CHANGES,
    ),
)

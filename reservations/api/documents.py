"""What the OpenAPI document says about reservations, with examples."""

from datetime import UTC, datetime
from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiRequest, OpenApiResponse
from rest_framework import serializers

from reservations import errors
from reservations.api.serializers import (
    HoldRequestSerializer,
    HowSerializer,
    ReservationSerializer,
    ReservedSerializer,
    WishSerializer,
)
from ticketing.accounts.errors import IdentityNotVerified, TooYoung
from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from waiting_queue import errors as queue

AUTH: list[dict[str, list[str]]] = [{"session": []}, {"token": []}]
AUTH_TO_HOLD = [*AUTH, {"queue_token": []}]
R_SEAT = {"grade": "R", "grade_names": {"ko": "R석", "en": "R seat"}, "price": 154000}
SEATS: list[dict[str, Any]] = [
    {"id": 101, "section": "A", "row": "1", "number": 1} | R_SEAT,
    {"id": 102, "section": "A", "row": "1", "number": 2} | R_SEAT,
]
HELD: dict[str, Any] = {
    "code": "K7QF2M9XTP",
    "event": 7,
    "state": "HELD",
    "seats": SEATS,
    "total": 308000,
    "currency": "KRW",
    "created_at": "2027-03-02T20:04:12.250000+09:00",
    "deadline": "2027-03-02T20:09:12.250000+09:00",
    "server_time": "2027-03-02T20:04:12.250000+09:00",
    "payment_token": "qp_SzdRRjJNOVhUUC40Mi4xNzcy.qd1Yt0",
}
REQUEST = {
    "code": "P3XW8HJK2D",
    "event": 7,
    "state": "PENDING",
    "seats": [101, 102],
    "place": 3,
    "created_at": "2027-03-02T20:04:12.250000+09:00",
    "reservation": None,
    "refusal": None,
    "next_poll_ms": 1000,
}
RESERVED = {
    "reservationId": "K7QF2M9XTP",
    "status": "PENDING",
    "token": "qp_SzdRRjJNOVhUUC40Mi4xNzcy.qd1Yt0",
    "seatIds": [101, 102],
    "total": 308000,
    "expiresAt": "2027-03-02T20:09:12.250000+09:00",
}
TAKEN_OVER = {
    "token": "qr_Ny40Mi41MTI0LkFiQ2RFZkdoSWpLbA.c2lnbmVkIGJ5IHVzIGFsb25l",
    "deadline": "2027-03-02T11:09:12.250+00:00",
    "next_poll_ms": 10700,
}
SETTLED = REQUEST | {"state": "SUCCESS", "reservation": "K7QF2M9XTP"}
SETTLED |= {"place": None, "next_poll_ms": None}
HELD_UNTIL = datetime(2027, 3, 2, 11, 9, 12, tzinfo=UTC)
OUTAGES = [core.Unavailable()]
MINE = [core.NotLoggedIn(), *OUTAGES]
CHANGES = [core.ForeignOrigin(), *MINE]
NO_TURN = [
    *(queue.NotAdmitted(), queue.PassElsewhere(), queue.BadQueueToken()),
    *(queue.QueueNotOpen(), queue.QueueUnavailable()),
    *(IdentityNotVerified(event=7), TooYoung(age=19)),
]
NOT_TO_BE_HAD = [
    errors.SeatsTaken.because([errors.TakenSeat(102, "held", HELD_UNTIL)]),
    errors.SeatsBusy(seats=[101, 102]),
    errors.SoldOut(),
    core.TooManyRequests(retry_after=7),
    errors.NotOnSale(),
    errors.TooManySeats(limit=4, left=1),
    errors.NotTogether(quantity=4),
    errors.NotEnoughPlaces(quantity=4),
    errors.LeavesOrphan(seats=[103]),
    errors.CompanionAlone(),
]
KEY = OpenApiParameter(
    "Idempotency-Key",
    str,
    OpenApiParameter.HEADER,
    description="Made up by you, at most 64 characters; a repeat with the same key finds what the "
    "first one made, whatever else it says.",
)


class TakenOverSerializer(serializers.Serializer):
    token = serializers.CharField(help_text="The pass of this browser, `qr_…`.")
    deadline = serializers.DateTimeField(help_text="Until then the turn lasts; asking renews it.")
    next_poll_ms = serializers.IntegerField(help_text="Ask for the standing after so long.")


class GivenBackSerializer(serializers.Serializer):
    released = serializers.IntegerField(help_text="How many reservations were given back.")


def call(operation_id: str, summary: str, description: str, **more: Any) -> dict[str, Any]:
    return {
        "operation_id": operation_id,
        "summary": summary,
        "description": description,
        "tags": ["reservations"],
        "auth": AUTH,
    } | more


HOLD_REFUSALS = refusals(core.InvalidInput(), core.NotFound(), *NO_TURN, *NOT_TO_BE_HAD, *CHANGES)
HOLD = call(
    "hold_seats",
    "Hold seats",
    "All or none, until `deadline`. Send one of `seats`, `best` and `places`. For people whose "
    "turn it is, from the browser that has the pass; where an event has no queue, for everybody "
    "while it is on sale. The pass (`Authorization: Bearer qr_…`) takes the place of a session. "
    "Whoever loses a seat to another is told at once and costs no SQL.",
    auth=AUTH_TO_HOLD,
    request=OpenApiRequest(WishSerializer),
    parameters=[HowSerializer, KEY],
    responses={
        201: OpenApiResponse(ReservationSerializer, "Held.", [example(HELD, status=201)]),
        200: OpenApiResponse(ReservationSerializer, "Held before, by this key.", [example(HELD)]),
        202: OpenApiResponse(
            HoldRequestSerializer, "To be waited for in order.", [example(REQUEST, status=202)]
        ),
    }
    | HOLD_REFUSALS,
)
RESERVE = call(
    "reserve_seats",
    "Hold seats, with a short answer",
    "The same as holding seats. `token` is the payment token.",
    auth=AUTH_TO_HOLD,
    request=OpenApiRequest(WishSerializer),
    parameters=[KEY],
    responses={
        201: OpenApiResponse(ReservedSerializer, "Held.", [example(RESERVED, status=201)]),
        200: OpenApiResponse(ReservedSerializer, "Held before, by this key.", [example(RESERVED)]),
    }
    | HOLD_REFUSALS,
)
TAKE_OVER = call(
    "take_over_pass",
    "Go on in this browser",
    "Gives the pass to the browser or program that asks; whichever had it is told and can hold no "
    "more seats. Asking again changes nothing. At most 20 times a minute.",
    tags=["queue"],
    request=None,
    responses={200: TakenOverSerializer}
    | refusals(
        *(queue.NotAdmitted(), queue.BadQueueToken(), queue.QueueUnavailable(), queue.NoQueue()),
        *(queue.QueueNotOpen(), queue.QueueOver()),
        *(core.TooManyRequests(retry_after=7), core.TooLarge(), *CHANGES),
    ),
    examples=[example(TAKEN_OVER)],
)
MINE_HERE = call(
    "list_reservations",
    "My reservations of an event",
    "The newest first; those that ended too.",
    responses={200: ReservationSerializer(many=True)} | refusals(core.NotFound(), *MINE),
    examples=[example([HELD])],
)
SHOW = call(
    "show_reservation",
    "One of my reservations",
    "Another person's is not found.",
    responses={200: ReservationSerializer} | refusals(errors.NoReservation(), *MINE),
    examples=[example(HELD)],
)
GIVE_BACK = call(
    "release_reservation",
    "Give seats back",
    "They are free at once. Twice is fine. Not while they are being paid for.",
    responses={200: ReservationSerializer}
    | refusals(
        errors.NoReservation(), core.IllegalMove(before="being paid", after="given back"), *CHANGES
    ),
    examples=[example(HELD | {"state": "RELEASED", "payment_token": None})],
)
LEAVE = call(
    "leave_sale",
    "Give everything back and leave",
    "Everything that is held and not being paid for; then the place inside goes to the next.",
    responses={200: GivenBackSerializer}
    | refusals(core.NotFound(), queue.QueueUnavailable(), *CHANGES),
    examples=[example({"released": 1})],
)
SHOW_REQUEST = call(
    "show_hold_request",
    "What became of an asynchronous request",
    "PENDING, PROCESSING, then SUCCESS or FAILED. Ask again after `next_poll_ms`.",
    responses={200: HoldRequestSerializer} | refusals(errors.NoReservation(), *MINE),
    examples=[example(SETTLED)],
)

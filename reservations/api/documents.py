"""What the OpenAPI document says about reservations, with examples."""

from typing import Any

from drf_spectacular.utils import OpenApiParameter, OpenApiRequest, OpenApiResponse
from rest_framework import serializers

from reservations import errors
from reservations.api.serializers import (
    HoldRequestSerializer,
    HowSerializer,
    ReservationSerializer,
    WishSerializer,
)
from ticketing.core import errors as core
from ticketing.core.api_schema import example, refusals
from waiting_queue import errors as queue

AUTH: list[dict[str, list[str]]] = [{"session": []}, {"token": []}]
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
    "created_at": "2027-03-02T20:04:12.250000+09:00",
    "reservation": None,
    "refusal": None,
    "next_poll_ms": 1000,
}
SETTLED = REQUEST | {"state": "SUCCESS", "reservation": "K7QF2M9XTP", "next_poll_ms": None}
OUTAGES = [core.Unavailable()]
MINE = [core.NotLoggedIn(), *OUTAGES]
CHANGES = [core.ForeignOrigin(), *MINE]
NO_TURN = [queue.NotAdmitted(), queue.QueueNotOpen(), queue.QueueUnavailable()]
NOT_TO_BE_HAD = [
    errors.SeatsTaken(seats=[102]),
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


HOLD = call(
    "hold_seats",
    "Hold seats",
    "All or none, until `deadline`. Send one of `seats`, `best` and `places`. For people whose "
    "turn it is; where an event has no queue, for everybody while it is on sale. Whoever loses a "
    "seat to another is told at once and costs no SQL.",
    request=OpenApiRequest(WishSerializer),
    parameters=[HowSerializer, KEY],
    responses={
        201: OpenApiResponse(ReservationSerializer, "Held.", [example(HELD, status=201)]),
        200: OpenApiResponse(ReservationSerializer, "Held before, by this key.", [example(HELD)]),
        202: OpenApiResponse(
            HoldRequestSerializer, "Taken down, with `mode=async`.", [example(REQUEST, status=202)]
        ),
    }
    | refusals(core.InvalidInput(), core.NotFound(), *NO_TURN, *NOT_TO_BE_HAD, *CHANGES),
)
MINE_HERE = call(
    "list_reservations",
    "My reservations of an event",
    "The newest first; those that ended too.",
    responses={200: ReservationSerializer(many=True)} | refusals(*MINE),
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
    responses={200: GivenBackSerializer} | refusals(queue.QueueUnavailable(), *CHANGES),
    examples=[example({"released": 1})],
)
SHOW_REQUEST = call(
    "show_hold_request",
    "What became of an asynchronous request",
    "PENDING, PROCESSING, then SUCCESS or FAILED. Ask again after `next_poll_ms`.",
    responses={200: HoldRequestSerializer} | refusals(errors.NoReservation(), *MINE),
    examples=[example(SETTLED)],
)

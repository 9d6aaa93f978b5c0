"""The call of a whole crowd: hold seats."""

import re
from collections.abc import Callable
from typing import Any

from reservations import services
from reservations.api import documents
from reservations.api.serializers import (
    HowSerializer,
    KeySerializer,
    WishSerializer,
    ordinary_wish,
    reservation_body,
    validated,
)
from reservations.errors import AsyncNeedsNamedSeats
from reservations.live.frames import request_body
from reservations.locks import SeatChoice
from reservations.models import HoldRequest
from reservations.selectors import ReservationWithSeats
from ticketing.accounts.authentication import FanAuthentication
from ticketing.core.fast_path.calls import ApiCall
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import ApiResponse

ORDINARY_KEY = re.compile(r"[!-~]{0,64}")

CHOICES: dict[str, Callable[[Any], SeatChoice]] = {
    "seats": services.SeatChoice.named,
    "best": lambda wish: services.SeatChoice.best(**wish),
    "places": lambda wish: services.SeatChoice.standing(**wish),
}


def hold_arguments(request: ApiRequest) -> dict[str, Any]:
    ((kind, wish),) = wish_of(request.data).items()
    arguments = {
        "event_id": request.path_params["event_id"],
        "fan_id": int(request.caller.id),
        "now": request.now,
        "key": key_of(request),
        "choice": CHOICES[kind](wish),
    }
    if request.query:
        mode = validated(HowSerializer, request.query_params)["mode"]
        arguments["later"] = mode == "async"
    return arguments


def wish_of(data: Any) -> dict[str, Any]:
    """The ordinary wish is recognised at once; any other is read, or refused, field by field."""
    return ordinary_wish(data) or validated(WishSerializer, data)


def key_of(request: ApiRequest) -> str:
    """The client's name for this request, or nothing."""
    key = request.headers.get("idempotency-key", "")
    return key if ORDINARY_KEY.fullmatch(key) else validated(KeySerializer, {"key": key})["key"]


def hold_now_or_later(
    *, choice: SeatChoice, later: bool = False, **arguments: Any
) -> ReservationWithSeats | HoldRequest:
    if not later:
        return services.hold_seats(choice=choice, **arguments)
    if choice.kind != "seats":
        raise AsyncNeedsNamedSeats()
    return services.request_hold(seat_ids=choice.seats, **arguments)


def render_hold(request: ApiRequest, hold: ReservationWithSeats | HoldRequest) -> ApiResponse:
    if isinstance(hold, HoldRequest):
        return ApiResponse(202, request_body(hold))
    return ApiResponse(201 if hold.is_new else 200, reservation_body(hold, request.now))


HOLD = ApiCall(
    method="POST",
    path="events/<int:event_id>/reservations/",
    document=documents.HOLD,
    authentication=FanAuthentication,
    reads_body=True,
    falls_through=lambda request: bool(request.query),  # `?mode=async` is rare
    arguments=hold_arguments,
    service=hold_now_or_later,
    aservice=services.ahold_seats,
    render=render_hold,
)
CALLS = [HOLD]

"""The calls of a whole crowd: hold seats, and go on in another browser."""

import re
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import random
from typing import Any

from reservations import services
from reservations.api import documents
from reservations.api.callers import Holder, HolderAuthentication
from reservations.api.serializers import (
    ORDINARY_HOW,
    HowSerializer,
    KeySerializer,
    WishSerializer,
    ordinary_wish,
    reservation_body,
    reserved_body,
    validated,
)
from reservations.errors import AsyncNeedsNamedSeats
from reservations.live.frames import request_body
from reservations.locks import SeatChoice
from reservations.models import HoldRequest
from reservations.selectors import ReservationWithSeats
from ticketing.core.fast_path.calls import ApiCall
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import ApiResponse
from waiting_queue import selectors as queues
from waiting_queue.services import Standing

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
        "fan_id": request.caller.id,
        "proof": request.caller.proof,
        "now": request.now,
        "key": key_of(request),
        "choice": CHOICES[kind](wish),
    }
    if request.query:
        ordinary = ORDINARY_HOW.get(request.query)
        arguments |= ordinary or validated(HowSerializer, request.query_params)
    return arguments


def wish_of(data: Any) -> dict[str, Any]:
    """The ordinary wish is recognised at once; any other is read, or refused, field by field."""
    return ordinary_wish(data) or validated(WishSerializer, data)


def key_of(request: ApiRequest) -> str:
    """The client's name for this request, or nothing."""
    key = request.headers.get("idempotency-key", "")
    return key if ORDINARY_KEY.fullmatch(key) else validated(KeySerializer, {"key": key})["key"]


def hold_now_or_later(
    *, choice: SeatChoice, mode: str = "now", **arguments: Any
) -> ReservationWithSeats | HoldRequest:
    if mode == "async":
        return services.request_hold(seat_ids=named_seats(choice), **arguments)
    hold = services.hold_or_request if mode == "auto" else services.hold_seats
    return hold(choice=choice, **arguments)


async def ahold_now_or_later(
    *, choice: SeatChoice, mode: str = "now", **arguments: Any
) -> ReservationWithSeats | HoldRequest:
    if mode == "async":
        return await services.arequest_hold(seat_ids=named_seats(choice), **arguments)
    hold = services.ahold_or_request if mode == "auto" else services.ahold_seats
    return await hold(choice=choice, **arguments)


def named_seats(choice: SeatChoice) -> Sequence[int]:
    if choice.kind != "seats":
        raise AsyncNeedsNamedSeats()
    return choice.seats


def render_hold(request: ApiRequest, hold: ReservationWithSeats | HoldRequest) -> ApiResponse:
    headers = request.caller.browser.headers
    if isinstance(hold, HoldRequest):
        return ApiResponse(202, request_body(hold), headers)
    return ApiResponse(201 if hold.is_new else 200, reservation_body(hold, request.now), headers)


def render_reserved(request: ApiRequest, hold: ReservationWithSeats) -> ApiResponse:
    """The short form of whoever knows `/reserve`."""
    return render_hold(request, hold)._replace(content=reserved_body(hold, request.now))


def reserve_arguments(request: ApiRequest) -> dict[str, Any]:
    """Held now, whatever the query says."""
    return hold_arguments(replace(request, query=""))


def take_over_arguments(request: ApiRequest) -> dict[str, Any]:
    return {
        "event_id": request.path_params["event_id"],
        "fan_id": request.caller.require_account(),
        "browser": request.caller.browser.mark,
        "now": request.now,
    }


def render_taken_over(request: ApiRequest, found: Standing) -> ApiResponse:
    caller: Holder = request.caller
    body = queues.standing_body(
        event_id=request.path_params["event_id"],
        person=str(caller.id),
        standing=found,
        now=request.now,
        jitter=random(),  # noqa: S311 - spreads polls, protects nothing
        browser=caller.browser.mark,
    )
    shown = {name: body[name] for name in ("token", "deadline", "next_poll_ms")}
    return ApiResponse(200, shown, caller.browser.headers)


HOLD = ApiCall(
    method="POST",
    path="events/<int:event_id>/reservations/",
    document=documents.HOLD,
    authentication=HolderAuthentication,
    reads_body=True,
    arguments=hold_arguments,
    service=hold_now_or_later,
    aservice=ahold_now_or_later,
    render=render_hold,
)
RESERVE = replace(
    HOLD,
    path="events/<int:event_id>/reserve/",
    document=documents.RESERVE,
    arguments=reserve_arguments,
    render=render_reserved,
)
TAKE_OVER = ApiCall(
    method="POST",
    path="events/<int:event_id>/queue/take-over/",
    document=documents.TAKE_OVER,
    authentication=HolderAuthentication,
    arguments=take_over_arguments,
    service=services.take_over,
    aservice=services.atake_over,
    render=render_taken_over,
)
CALLS = [HOLD, RESERVE, TAKE_OVER]

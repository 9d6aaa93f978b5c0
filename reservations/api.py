"""The JSON API of reservations (docs/api.md). Everything is found through its owner."""

import json
import re
from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http.cookie import parse_cookie
from drf_spectacular.utils import extend_schema
from rest_framework.exceptions import ValidationError
from rest_framework.permissions import IsAuthenticated
from rest_framework.renderers import JSONRenderer
from rest_framework.request import Request
from rest_framework.response import Response

from reservations import api_documents as documents
from reservations import selectors, services
from reservations.api_serializers import (
    LARGEST,
    HowSerializer,
    KeySerializer,
    WishSerializer,
    is_ordinary,
    request_body,
    reservation_body,
)
from reservations.errors import AsyncNeedsNamedSeats
from ticketing.accounts import selectors as accounts
from ticketing.accounts.api_auth import FanAuthentication, TokenAuthentication
from ticketing.core import clock
from ticketing.core.api_views import NeverStored
from ticketing.core.errors import NotFound
from ticketing.core.fast_path.application import Call, FallThrough, Route
from ticketing.core.origins import require_own_origin

COOKIE = settings.SESSION_COOKIE_NAME
ORDINARY_KEY = re.compile(r"[!-~]{1,64}")

CHOICES: dict[str, Callable[[Any], Any]] = {
    "seats": services.SeatChoice.named,
    "best": lambda wish: services.SeatChoice.best(**wish),
    "places": lambda wish: services.SeatChoice.standing(**wish),
}


class FanView(NeverStored):
    """For people who are logged in; with a session, finding out who costs no SQL."""

    authentication_classes = [TokenAuthentication, FanAuthentication]
    permission_classes = [IsAuthenticated]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if kwargs["event_id"] > LARGEST:
            raise NotFound()


class ReservationsView(FanView):
    @extend_schema(**documents.MINE_HERE)
    def get(self, request: Request, event_id: int) -> Response:
        now = clock.now()
        mine = selectors.own_reservations(event_id=event_id, fan_id=fan_of(request))
        return Response([reservation_body(hold, now) for hold in mine])

    @extend_schema(**documents.HOLD)
    def post(self, request: Request, event_id: int) -> Response:
        ((kind, wish),) = wish_of(request.data).items()
        key = key_of(request)
        who: Any = {"event_id": event_id, "fan_id": fan_of(request), "now": clock.now(), "key": key}
        if request.query_params and valid(HowSerializer, request.query_params)["mode"] == "async":
            if kind != "seats":
                raise AsyncNeedsNamedSeats()
            later = services.request_hold(seat_ids=wish, **who)
            return Response(request_body(later), status=202)
        hold = services.hold_seats(choice=CHOICES[kind](wish), **who)
        return Response(reservation_body(hold, who["now"]), status=201 if hold.is_new else 200)

    @extend_schema(**documents.LEAVE)
    def delete(self, request: Request, event_id: int) -> Response:
        released = services.leave(event_id=event_id, fan_id=fan_of(request), now=clock.now())
        return Response({"released": released})


class ReservationView(FanView):
    @extend_schema(**documents.SHOW)
    def get(self, request: Request, event_id: int, code: str) -> Response:
        found = selectors.own_reservation(event_id=event_id, fan_id=fan_of(request), code=code)
        return Response(reservation_body(found, clock.now()))

    @extend_schema(**documents.GIVE_BACK)
    def delete(self, request: Request, event_id: int, code: str) -> Response:
        now = clock.now()
        whose: Any = {"event_id": event_id, "fan_id": fan_of(request), "code": code}
        services.release(**whose, now=now)
        return Response(reservation_body(selectors.own_reservation(**whose), now))


class HoldRequestView(FanView):
    @extend_schema(**documents.SHOW_REQUEST)
    def get(self, request: Request, event_id: int, code: str) -> Response:
        found = selectors.own_hold_request(event_id=event_id, fan_id=fan_of(request), code=code)
        return Response(request_body(found))


# -- the ordinary hold, on the lean path ----------------------------------------------------------


async def lean_hold(call: Call) -> tuple[int, bytes]:
    """By somebody with a session, to be decided now: nearly every hold there is. All else is for
    the view above, and both are one contract."""
    require_ordinary(call)
    fan = await accounts.acaller(parse_cookie(call.headers.get("cookie", "")).get(COOKIE))
    if fan is None:
        raise FallThrough()
    require_own_origin(call.headers, own=call.own_origin)
    ((kind, wish),) = lean_wish(call).items()
    who: Any = {"event_id": int(call.parts["event_id"]), "fan_id": fan.id, "now": clock.now()}
    hold = await services.ahold_seats(choice=CHOICES[kind](wish), key=ordinary_key(call), **who)
    body = JSONRenderer().render(reservation_body(hold, who["now"]))
    return 201 if hold.is_new else 200, body


def require_ordinary(call: Call) -> None:
    headers = call.headers
    is_json = headers.get("content-type", "").partition(";")[0] == "application/json"
    wants_json = any(kind in headers.get("accept", "*/*") for kind in ("*/*", "application/json"))
    if call.query or "authorization" in headers or not (is_json and wants_json):
        raise FallThrough()


def lean_wish(call: Call) -> dict[str, Any]:
    """What can't be read is refused by the view, in the caller's language."""
    try:
        return wish_of(json.loads(call.body or b""))
    except (ValueError, ValidationError):
        raise FallThrough() from None


def ordinary_key(call: Call) -> str:
    key = call.headers.get("idempotency-key", "")
    if key and not ORDINARY_KEY.fullmatch(key):
        raise FallThrough()
    return key


HOLD_ADDRESS = re.compile(r"POST /api/v1/events/(?P<event_id>[0-9]{1,18})/reservations/")
lean_routes = [Route(HOLD_ADDRESS, lean_hold, reads_body=True)]


def fan_of(request: Request) -> int:
    caller: Any = request.user
    return int(caller.id)


def wish_of(data: Any) -> dict[str, Any]:
    """The ordinary wish is known at a glance; any other is read, or refused, field by field."""
    return data if is_ordinary(data) else valid(WishSerializer, data)


def key_of(request: Request) -> str:
    """What the client calls this request, or nothing."""
    key = request.headers.get("Idempotency-Key", "")
    return valid(KeySerializer, {"key": key})["key"] if key else ""


def valid(serializer: Any, data: Any) -> dict[str, Any]:
    read = serializer(data=data)
    read.is_valid(raise_exception=True)
    return read.validated_data

"""The JSON API of reservations (docs/api.md). Everything is found through its owner."""

from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import IsAuthenticated
from rest_framework.request import Request
from rest_framework.response import Response

from reservations import selectors, services
from reservations.api import calls, documents
from reservations.api.callers import HolderAuthentication
from reservations.api.serializers import LARGEST, reservation_body
from reservations.live.frames import request_body
from ticketing.accounts.authentication import FanAuthentication, TokenAuthentication
from ticketing.core import clock
from ticketing.core.api_views import AlwaysJson, NoStoreView
from ticketing.core.errors import NotFound
from ticketing.events.selectors import public_event


class FanView(NoStoreView):
    """For people who are logged in; with a session, finding out who costs no SQL."""

    authentication_classes = [TokenAuthentication, FanAuthentication]
    permission_classes = [IsAuthenticated]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        super().initial(request, *args, **kwargs)
        if kwargs["event_id"] > LARGEST:
            raise NotFound()


class HolderView(FanView):
    """Also for whoever has a pass."""

    authentication_classes = [HolderAuthentication, *FanView.authentication_classes]


class ReserveView(HolderView):
    post = calls.RESERVE.view_method()


class TakeOverView(HolderView):
    content_negotiation_class = AlwaysJson
    post = calls.TAKE_OVER.view_method()


class ReservationsView(HolderView):
    @extend_schema(**documents.MINE_HERE)
    def get(self, request: Request, event_id: int) -> Response:
        now = clock.now()
        mine = selectors.own_reservations(event_id=event_id, fan_id=fan_of(request))
        if not mine:
            public_event(event_id)
        return Response([reservation_body(hold, now) for hold in mine])

    post = calls.HOLD.view_method()

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


def fan_of(request: Request) -> int:
    caller: Any = request.user
    return int(caller.id)

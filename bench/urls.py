"""The URLs of the site, and bare views behind the same middleware as baselines."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from reservations import locks
from reservations.locks import SeatChoice
from reservations.models import new_code
from ticketing.core import clock
from ticketing.urls import handler400, handler403, handler404, handler500
from ticketing.urls import urlpatterns as site_urlpatterns

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


def nothing(request: HttpRequest) -> HttpResponse:
    return HttpResponse(b"{}", content_type="application/json")


class Bare(APIView):
    authentication_classes: list[Any] = []
    permission_classes: list[Any] = []


class DoNothing(Bare):
    def post(self, request: Request) -> Response:
        assert isinstance(request.data, dict)
        return Response({"seats": len(request.data["seats"])}, status=409)


class HoldSqlOnly(Bare):
    """The SQL of a hold without authentication, admission check, gate and push."""

    def post(self, request: Request, event_id: int, fan_id: int) -> Response:
        assert isinstance(request.data, dict)
        seats = request.data["seats"]
        result = locks.hold_seats(
            event_id=event_id,
            fan_id=fan_id,
            choice=SeatChoice("seats", len(seats), seats),
            code=new_code(),
            key="",
            now=clock.now(),
        )
        return Response({"status": result.status, "seats": result.seats}, status=201)


urlpatterns = [
    path("bench/nothing/", nothing),
    path("bench/nothing/api/", DoNothing.as_view()),
    path("bench/hold/<int:event_id>/<int:fan_id>/", HoldSqlOnly.as_view()),
    *site_urlpatterns,
]

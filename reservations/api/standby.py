"""The JSON API of standby lists (docs/api.md): everybody sees their own place."""

from typing import Any

from django.utils.translation import get_language
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from reservations import services
from reservations.api import standby_documents as documents
from reservations.api.serializers import validated
from reservations.api.standby_serializers import StandbyWishSerializer, standby_body
from reservations.api.views import FanView, fan_of
from reservations.selectors import standby
from ticketing.core import clock


class StandbyView(FanView):
    @extend_schema(**documents.SHOW)
    def get(self, request: Request, event_id: int) -> Response:
        return example(event_id=event_id, fan_id=fan_of(request), now=clock.now())

    @extend_schema(**documents.JOIN)
    def post(self, request: Request, event_id: int) -> Response:
        wish = validated(StandbyWishSerializer, request.data)
        who: Any = {"event_id": event_id, "fan_id": fan_of(request), "now": clock.now()}
        services.join_standby(**wish, **who, language=get_language() or "")
        return example(**who)

    @extend_schema(**documents.LEAVE)
    def delete(self, request: Request, event_id: int) -> Response:
        who: Any = {"event_id": event_id, "fan_id": fan_of(request), "now": clock.now()}
        services.leave_standby(**who)
        return example(**who)


def example(**who: Any) -> Response:
    return Response(standby_body(standby.require_own_place(**who), who["now"]))

"""The JSON API of doors: scanned, undone, counted (docs/api.md)."""

from typing import Any
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from reservations import services
from reservations.api import door_documents as documents
from reservations.api.door_serializers import (
    LARGEST,
    BatchSerializer,
    check_in_body,
    counts_body,
    scans_of,
)
from reservations.selectors import check_ins as selectors
from ticketing.accounts.authentication import FanAuthentication, TokenAuthentication
from ticketing.accounts.models import Scope, User
from ticketing.core import clock
from ticketing.core.api_views import NoStoreView
from ticketing.core.errors import NotFound


class MayCheckIn(BasePermission):
    """A refusal does not say why."""

    def has_permission(self, request: Request, view: Any) -> bool:
        caller: Any = request.user
        if not caller.is_authenticated:
            return False
        token: Any = request.auth
        view.doorkeeper = selectors.doorkeeper(
            int(caller.id), request._request.session, token=token
        )
        return True


class DoorView(NoStoreView):
    authentication_classes = [TokenAuthentication, FanAuthentication]
    permission_classes = [MayCheckIn]
    token_scope = Scope.DOOR
    doorkeeper: User


class CheckInsView(DoorView):
    @extend_schema(**documents.CHECK_IN)
    def post(self, request: Request) -> Response:
        batch = BatchSerializer(data=request.data)
        batch.is_valid(raise_exception=True)
        asked = batch.validated_data
        entries = services.check_in_batch(
            event_id=asked["event"],
            scans=scans_of(asked),
            door=asked["door"],
            by=self.doorkeeper,
            now=clock.now(),
        )
        counts = counts_body(asked["event"], selectors.door_counts(asked["event"]))
        return Response({"check_ins": list(map(check_in_body, entries)), "counts": counts})


class UndoView(DoorView):
    @extend_schema(**documents.UNDO)
    def post(self, request: Request, key: UUID) -> Response:
        entry = services.undo_check_in(key=key, by=self.doorkeeper, now=clock.now())
        return Response(check_in_body(*selectors.with_details([entry])))


class CountsView(DoorView):
    @extend_schema(**documents.SHOW_COUNTS)
    def get(self, request: Request, event_id: int) -> Response:
        if event_id > LARGEST:
            raise NotFound()
        event = selectors.door_event(event_id)
        return Response(counts_body(event.pk, selectors.door_counts(event.pk)))

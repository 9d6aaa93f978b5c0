"""The API by which a runner rehearses a sale on this site (docs/rehearsal.md)."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from ticketing.accounts.authentication import SessionAuthentication, TokenAuthentication
from ticketing.accounts.models import Scope, User
from ticketing.accounts.services import require_staff
from ticketing.core import clock
from ticketing.core.api_views import NoStoreView
from ticketing.rehearsal import selectors, services
from ticketing.rehearsal.api import schema, serializers
from ticketing.rehearsal.models import REHEARSE


class MayRehearse(BasePermission):
    """Staff with the permission and their second factor, as in the admin."""

    def has_permission(self, request: Request, view: Any) -> bool:
        user: Any = request.user
        if not user.is_authenticated:
            return False
        token: Any = request.auth
        session = request._request.session
        require_staff(user=user, permission=REHEARSE, session=session, token=token)
        return True


class RehearsalApiView(NoStoreView):
    authentication_classes = [TokenAuthentication, SessionAuthentication]
    permission_classes = [MayRehearse]
    token_scope = Scope.OPERATE


class RehearsalsView(RehearsalApiView):
    @extend_schema(**schema.START)
    def post(self, request: Request) -> Response:
        options, now = valid(serializers.StartRehearsalSerializer, request.data), clock.now()
        event_id, by = options.pop("event"), caller(request)
        rehearsal = services.start_rehearsal(event_id=event_id, options=options, by=by, now=now)
        return Response(selectors.setting(rehearsal, now), status=201)


class RehearsalView(RehearsalApiView):
    @extend_schema(**schema.SHOW)
    def get(self, request: Request, code: str) -> Response:
        now = clock.now()
        rehearsal = services.running_rehearsal(code, now=now)
        return Response(selectors.setting(rehearsal, now))

    @extend_schema(**schema.CLEAN_UP)
    def delete(self, request: Request, code: str) -> Response:
        left = services.clean_up_rehearsal(code=code, now=clock.now())
        return Response({"left_behind": left})


class PeopleView(RehearsalApiView):
    @extend_schema(**schema.PEOPLE)
    def post(self, request: Request, code: str) -> Response:
        wanted = valid(serializers.WantedPeopleSerializer, request.data)
        numbers = range(wanted["first"], wanted["first"] + wanted["count"])
        kinds = {name: frozenset(wanted[name]) for name in ("new", "unverified")}
        people = services.make_people(code=code, numbers=numbers, **kinds, now=clock.now())
        return Response({"people": [asdict(person) for person in people]}, status=201)


class MovesView(RehearsalApiView):
    @extend_schema(**schema.MOVE)
    def post(self, request: Request, code: str) -> Response:
        to = valid(serializers.MoveSerializer, request.data)["move"]
        state = services.move_sale(code=code, to=to, by=caller(request), now=clock.now())
        return Response({"state": state})


class KnobsView(RehearsalApiView):
    @extend_schema(**schema.SET_KNOBS)
    def post(self, request: Request, code: str) -> Response:
        knobs = valid(serializers.KnobsSerializer, request.data)
        queue = services.set_knobs(code=code, knobs=knobs, by=caller(request), now=clock.now())
        return Response(selectors.knobs(queue))


class GatewayBehaviourView(RehearsalApiView):
    @extend_schema(**schema.GATEWAY_BEHAVIOUR)
    def post(self, request: Request, code: str) -> Response:
        behaviour = valid(serializers.GatewayBehaviourSerializer, request.data)
        services.set_gateway_behaviour(code=code, now=clock.now(), **behaviour)
        return Response(behaviour)


class SnapshotView(RehearsalApiView):
    @extend_schema(**schema.SNAPSHOT)
    def get(self, request: Request, code: str) -> Response:
        now = clock.now()
        rehearsal = services.running_rehearsal(code, now=now)
        return Response(selectors.snapshot(rehearsal, now))


class BooksView(RehearsalApiView):
    @extend_schema(**schema.BOOKS)
    def get(self, request: Request, code: str) -> Response:
        wanted = valid(serializers.BooksQuery, request.query_params.dict())
        rehearsal = services.running_rehearsal(code, now=clock.now())
        return Response(selectors.books(rehearsal.copy, **wanted))


class JournalView(RehearsalApiView):
    @extend_schema(**schema.JOURNAL)
    def get(self, request: Request, code: str) -> Response:
        after = valid(serializers.JournalQuery, request.query_params.dict())["after"]
        return Response(services.complete_journal(code=code, after=after, now=clock.now()))


class FactsView(RehearsalApiView):
    @extend_schema(**schema.FACTS)
    def get(self, request: Request, code: str) -> Response:
        return Response(services.final_facts(code=code, now=clock.now()))


class ReportView(RehearsalApiView):
    @extend_schema(**schema.REPORT)
    def post(self, request: Request, code: str) -> Response:
        fields = valid(serializers.ReportSerializer, request.data)
        fields["report"] = fields.pop("json")
        rehearsal = services.save_report(code=code, now=clock.now(), **fields)
        return Response({"state": rehearsal.state}, status=201)


def caller(request: Request) -> User:
    user: Any = request.user
    return user


def valid(serializer: Any, data: Any) -> dict[str, Any]:
    read = serializer(data=data)
    read.is_valid(raise_exception=True)
    return read.validated_data

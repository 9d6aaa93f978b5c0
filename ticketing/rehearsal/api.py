"""The stage: how a rehearsal is run from outside, by staff who may (docs/api.md)."""

from dataclasses import asdict
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from ticketing.accounts.authentication import SessionAuthentication, TokenAuthentication
from ticketing.accounts.models import ApiToken, User
from ticketing.console.errors import SecondFactorMissing
from ticketing.console.services import needs_second_factor
from ticketing.console.services.roles import REHEARSE
from ticketing.core import clock
from ticketing.core.api_views import NoStoreView
from ticketing.rehearsal import api_documents as documents
from ticketing.rehearsal import api_serializers as shapes
from ticketing.rehearsal import selectors, services


class MayRehearse(BasePermission):
    """Staff with the permission; a browser also needs its second proof, as in the admin."""

    def has_permission(self, request: Request, view: Any) -> bool:
        user: Any = request.user
        if not (user.is_authenticated and user.is_staff and user.has_perm(REHEARSE)):
            return False
        is_browser = not isinstance(request.auth, ApiToken)
        if is_browser and needs_second_factor(user, request._request.session):
            raise SecondFactorMissing()
        return True


class StageView(NoStoreView):
    authentication_classes = [TokenAuthentication, SessionAuthentication]
    permission_classes = [MayRehearse]


class RehearsalsView(StageView):
    @extend_schema(**documents.START)
    def post(self, request: Request) -> Response:
        asked, now = valid(shapes.StartRehearsalSerializer, request.data), clock.now()
        event_id = asked.pop("event")
        begun = services.start(event_id=event_id, options=asked, by=caller(request), now=now)
        return Response(selectors.setting(begun, now), status=201)


class RehearsalView(StageView):
    @extend_schema(**documents.SHOW)
    def get(self, request: Request, code: str) -> Response:
        now = clock.now()
        rehearsal = services.rehearsal_heard(code, now=now)
        return Response(selectors.setting(rehearsal, now))

    @extend_schema(**documents.CLEAN_UP)
    def delete(self, request: Request, code: str) -> Response:
        return Response({"left_behind": services.clean_up(code=code, now=clock.now())})


class PeopleView(StageView):
    @extend_schema(**documents.PEOPLE)
    def post(self, request: Request, code: str) -> Response:
        wanted = valid(shapes.WantedPeopleSerializer, request.data)
        numbers = range(wanted["first"], wanted["first"] + wanted["count"])
        people = services.make_people(code=code, numbers=numbers, now=clock.now())
        return Response({"people": [asdict(person) for person in people]}, status=201)


class MovesView(StageView):
    @extend_schema(**documents.MOVE)
    def post(self, request: Request, code: str) -> Response:
        to = valid(shapes.MoveSerializer, request.data)["move"]
        state = services.move(code=code, to=to, by=caller(request), now=clock.now())
        return Response({"state": state})


class KnobsView(StageView):
    @extend_schema(**documents.TURN)
    def post(self, request: Request, code: str) -> Response:
        knobs = valid(shapes.KnobsSerializer, request.data)
        who = caller(request)
        queue = services.turn_knobs(code=code, knobs=knobs, by=who, now=clock.now())
        return Response(selectors.knobs(queue))


class WeatherView(StageView):
    @extend_schema(**documents.WEATHER)
    def post(self, request: Request, code: str) -> Response:
        weather = valid(shapes.WeatherSerializer, request.data)
        services.make_weather(code=code, now=clock.now(), **weather)
        return Response(weather)


class PulseView(StageView):
    @extend_schema(**documents.PULSE_OF)
    def get(self, request: Request, code: str) -> Response:
        now = clock.now()
        rehearsal = services.rehearsal_heard(code, now=now)
        return Response(selectors.pulse(rehearsal, now))


class JournalView(StageView):
    @extend_schema(**documents.JOURNAL)
    def get(self, request: Request, code: str) -> Response:
        after = valid(shapes.JournalQuery, request.query_params.dict())["after"]
        return Response(services.whole_journal(code=code, after=after, now=clock.now()))


class FactsView(StageView):
    @extend_schema(**documents.FACTS_OF)
    def get(self, request: Request, code: str) -> Response:
        return Response(services.facts(code=code, now=clock.now()))


class ReportView(StageView):
    @extend_schema(**documents.REPORT)
    def post(self, request: Request, code: str) -> Response:
        told = valid(shapes.ReportSerializer, request.data)
        told["report"] = told.pop("json")
        kept = services.keep_report(code=code, now=clock.now(), **told)
        return Response({"state": kept.state}, status=201)


def caller(request: Request) -> User:
    user: Any = request.user
    return user


def valid(serializer: Any, data: Any) -> dict[str, Any]:
    read = serializer(data=data)
    read.is_valid(raise_exception=True)
    return read.validated_data

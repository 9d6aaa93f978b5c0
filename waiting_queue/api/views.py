"""The queue's calls as Django views, and appeals against blocks (docs/api.md)."""

from datetime import datetime, timedelta
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from ticketing.core import clock
from ticketing.core.api_views import AlwaysJson, NoStoreView
from waiting_queue import selectors, services
from waiting_queue.api import calls, documents, lane_documents, party_documents
from waiting_queue.api.callers import QueueAuthentication
from waiting_queue.api.serializers import AppealSerializer
from waiting_queue.errors import NotInLine
from waiting_queue.models import BlockAppeal, Lane
from waiting_queue.store import Invitation, Standing


class QueueApiView(NoStoreView):
    authentication_classes = [QueueAuthentication]
    permission_classes = []
    http_method_names = ["get", "post", "delete"]

    def initial(self, request: Request, *args: Any, **kwargs: Any) -> None:
        """Another method is refused before anybody is asked who they are."""
        method = (request.method or "").lower()
        if method not in self.http_method_names or not hasattr(self, method):
            self.http_method_not_allowed(request)
        super().initial(request, *args, **kwargs)


class QueueCallView(QueueApiView):
    content_negotiation_class = AlwaysJson


class QueueView(QueueCallView):
    get = calls.STANDING.view_method()
    post = calls.JOIN.view_method()
    delete = calls.LEAVE.view_method()


class TokenView(QueueCallView):
    post = calls.TOKEN.view_method()


class ClaimView(QueueCallView):
    post = calls.CLAIM.view_method()


class OutlookView(QueueCallView):
    authentication_classes = []
    get = calls.OUTLOOK.view_method()


class LanesView(QueueApiView):
    authentication_classes = []

    @extend_schema(**lane_documents.LANES)
    def get(self, request: Request, event_id: int) -> Response:
        selectors.public_queue(event_id)
        return Response({"lanes": [lane_body(lane) for lane in selectors.lanes_of(event_id)]})


class JoinLaneView(QueueApiView):
    """Joining with a key, as `calls.JOIN` joins without one."""

    @extend_schema(**lane_documents.JOIN_LANE)
    def post(self, request: Request, event_id: int) -> Response:
        caller: Any = request.user
        person, browser, now = caller.require_account(), caller.browser, clock.now()
        wanted = lane_documents.JoinLaneSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        who = {"event_id": event_id, "person": person, "now": now}
        with services.explain_no_line(event_id):
            joined = services.join_lane(
                **who,
                browser=browser.known_mark,
                known=caller,
                newcomer=caller.newcomer(request.META.get("REMOTE_ADDR") or ""),
                **wanted.validated_data,
            )
        body = selectors.standing_body(
            **who, standing=joined, jitter=calls.spread(), browser=browser.mark
        )
        body["socket_after_ms"] = services.socket_after_ms(event_id, joined)
        headers = {} if joined.is_elsewhere(browser.mark) else browser.headers
        return Response(body, status=201 if joined.just_joined else 200, headers=headers)


def lane_body(lane: Lane) -> dict[str, Any]:
    return {
        "lane": lane.number,
        "name_ko": lane.name_ko,
        "name_en": lane.name_en,
        "key": lane.key,
        "weight": lane.weight,
        "opens_at": lane.opens_at.isoformat(timespec="milliseconds") if lane.opens_at else None,
        "grades": [grade.code for grade in lane.grades.all()],
        "sections": [section.code for section in lane.sections.all()],
    }


class AppealView(QueueApiView):
    """For somebody who was blocked: the reason, their appeal against it, and the answer."""

    @extend_schema(**documents.APPEAL_SHOWN)
    def get(self, request: Request, event_id: int) -> Response:
        person = person_of(request)
        selectors.public_queue(event_id)
        why = selectors.block_reason(event_id=event_id, person=person)
        last = selectors.last_appeal(event_id=event_id, person=person)
        return Response({"blocked_why": why, "appeal": appeal_body(last) if last else None})

    @extend_schema(**documents.APPEAL)
    def post(self, request: Request, event_id: int) -> Response:
        person = person_of(request)
        selectors.public_queue(event_id)
        appeal = AppealSerializer(data=request.data)
        appeal.is_valid(raise_exception=True)
        message = appeal.validated_data["words"]
        made = services.submit_appeal(
            event_id=event_id, person=person, message=message, now=clock.now()
        )
        return Response(appeal_body(made), status=201)


class PartyView(QueueApiView):
    """For somebody who waits: their party, and the code with which companions join it."""

    @extend_schema(**party_documents.PARTY)
    def get(self, request: Request, event_id: int) -> Response:
        person, now = person_of(request), clock.now()
        with services.explain_no_line(event_id):
            found = services.standing(event_id=event_id, person=person, now=now)
        if not found.leader and found.state not in selectors.LIVE:
            raise NotInLine()
        invitation = selectors.own_invitation(event_id, person)
        return Response(party_body(found, person, invitation, now))

    @extend_schema(**party_documents.INVITE)
    def post(self, request: Request, event_id: int) -> Response:
        person, now = person_of(request), clock.now()
        with services.explain_no_line(event_id):
            invitation = services.invite(event_id=event_id, person=person, now=now)
            found = services.standing(event_id=event_id, person=person, now=now)
        return Response(party_body(found, person, invitation, now))


class JoinPartyView(QueueApiView):
    @extend_schema(**party_documents.JOIN_PARTY)
    def post(self, request: Request, event_id: int) -> Response:
        caller: Any = request.user
        person, now = caller.require_account(), clock.now()
        wanted = party_documents.CodeSerializer(data=request.data)
        wanted.is_valid(raise_exception=True)
        code = wanted.validated_data["code"]
        with services.explain_no_line(event_id):
            joined = services.join_party(
                event_id=event_id,
                person=person,
                code=code,
                now=now,
                known=caller,
                newcomer=caller.newcomer(request.META.get("REMOTE_ADDR") or ""),
            )
        body = selectors.standing_body(
            event_id=event_id, person=person, standing=joined, now=now, jitter=calls.spread()
        )
        return Response(body, status=201 if joined.just_joined else 200)


def party_body(
    found: Standing, person: str, invitation: Invitation | None, now: datetime
) -> dict[str, Any]:
    ends = now + timedelta(milliseconds=invitation.left_ms) if invitation else None
    return {
        "leads": not found.leader or found.leader == person,
        "people": found.party_size or 1,
        "code": invitation.code if invitation else None,
        "code_ends": ends.isoformat(timespec="seconds") if ends else None,
    }


def person_of(request: Request) -> str:
    caller: Any = request.user
    return caller.require_account()


def appeal_body(appeal: BlockAppeal) -> dict[str, Any]:
    return {
        "state": appeal.state,
        "words": appeal.words,
        "at": appeal.at.isoformat(timespec="milliseconds"),
        "answer": appeal.answer,
    }

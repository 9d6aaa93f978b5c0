"""The queue's calls: join, standing, claim, leave.

A crowd makes them all at once, so they are answered on the lean path (`core.lean`), without SQL.
What that path does not take comes to the same calls as ordinary views; both are one contract.
"""

import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from random import random
from typing import Any

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from ticketing.core import clock
from ticketing.core.api_views import NeverStored
from ticketing.core.errors import NotLoggedIn
from ticketing.core.fast_path.application import CHALLENGE, Call, Route, require_small
from waiting_queue import api_documents as documents
from waiting_queue import selectors, services
from waiting_queue.api_callers import Speaker, aspeaker, credentials, speaker
from waiting_queue.models import BlockAppeal
from waiting_queue.store import Standing

Outcome = Standing | str
Answer = tuple[int, dict[str, Any]]
LeanAnswer = tuple[int, dict[str, Any] | bytes]


@dataclass(frozen=True)
class Act:
    """A service in its two forms."""

    now: Callable[..., Outcome]
    later: Callable[..., Awaitable[Outcome]]
    takes_queue_token: bool = True

    def arguments(self, who: Speaker) -> dict[str, Any]:
        if self.takes_queue_token:
            return {"person": who.person, "token": who.token}
        if who.token:
            raise NotLoggedIn()
        return {"person": who.person}


ACTS = {
    "GET": Act(services.standing, services.astanding),
    "POST": Act(services.join, services.ajoin, takes_queue_token=False),
    "DELETE": Act(services.leave, services.aleave),
    "claim": Act(services.claim, services.aclaim),
}


async def answer(call: Call) -> LeanAnswer:
    """On the lean path."""
    act, event_id, now = ACTS[call.parts["act"]], int(call.parts["event_id"]), clock.now()
    shown = credentials(
        call.headers, event_id=event_id, method=call.method, own_origin=call.own_origin
    )
    if shown.token and call.method == "GET":
        known = services.known_standing(shown.token, luck=chance())
        if known:
            return 200, known.encode()
    who = await aspeaker(shown, now=now)
    async with services.aexplain_no_line(event_id):
        outcome = await act.later(event_id=event_id, now=now, **act.arguments(who))
    return told(event_id, who, outcome, now)


def answer_in_thread(request: Request, event_id: int, act: Act) -> Answer:
    """In an ordinary view."""
    now, headers = clock.now(), request.headers
    require_small(headers)
    own = f"{request.scheme}://{request.get_host()}"
    shown = credentials(headers, event_id=event_id, method=request.method or "", own_origin=own)
    who = speaker(shown, now=now)
    with services.explain_no_line(event_id):
        outcome = act.now(event_id=event_id, now=now, **act.arguments(who))
    return told(event_id, who, outcome, now)


async def outlook(call: Call) -> Answer:
    """For those who poll: what the others are told as it changes."""
    event_id = int(call.parts["event_id"])
    return 200, await services.aannouncements(event_id)


def chance() -> float:
    return random()  # noqa: S311 - spreads polls, guards nothing


def told(event_id: int, who: Speaker, outcome: Outcome, now: Any) -> Answer:
    if isinstance(outcome, str):
        return 200, {"was": outcome}
    body = selectors.standing_body(
        event_id=event_id,
        person=who.person,
        found=outcome,
        now=now,
        luck=chance(),
        held=who.token,
    )
    return 201 if outcome.just_joined else 200, body


ADDRESS = r"/api/v1/events/(?P<event_id>[0-9]{1,18})/queue/"
lean_routes: list[Route] = [
    Route(re.compile(rf"(?P<act>GET|POST|DELETE) {ADDRESS}"), answer),
    Route(re.compile(rf"POST {ADDRESS}(?P<act>claim)/"), answer),
    Route(re.compile(rf"GET {ADDRESS}outlook/"), outlook),
]


# -- the same as ordinary views -------------------------------------------------------------------


class QueueCall(NeverStored):
    authentication_classes = []
    permission_classes = []
    http_method_names = ["get", "post", "delete"]

    def respond(self, request: Request, event_id: int, act: str) -> Response:
        status, body = answer_in_thread(request, event_id, ACTS[act])
        return Response(body, status=status)

    def finalize_response(
        self, request: Request, response: Any, *args: Any, **kwargs: Any
    ) -> Response:
        final = super().finalize_response(request, response, *args, **kwargs)
        if final.status_code == 401:
            final["WWW-Authenticate"] = CHALLENGE.decode()
        return final


class QueueView(QueueCall):
    @extend_schema(**documents.STANDING)
    def get(self, request: Request, event_id: int) -> Response:
        return self.respond(request, event_id, "GET")

    @extend_schema(**documents.JOIN)
    def post(self, request: Request, event_id: int) -> Response:
        return self.respond(request, event_id, "POST")

    @extend_schema(**documents.LEAVE)
    def delete(self, request: Request, event_id: int) -> Response:
        return self.respond(request, event_id, "DELETE")


class ClaimView(QueueCall):
    @extend_schema(**documents.CLAIM)
    def post(self, request: Request, event_id: int) -> Response:
        return self.respond(request, event_id, "claim")


class OutlookView(QueueCall):
    @extend_schema(**documents.OUTLOOK)
    def get(self, request: Request, event_id: int) -> Response:
        return Response(services.announcements(event_id))


class AppealView(QueueCall):
    """Somebody who was blocked answers, and reads what was said to that."""

    @extend_schema(**documents.APPEAL_SHOWN)
    def get(self, request: Request, event_id: int) -> Response:
        person = fan_of(request, event_id)
        services.public_queue(event_id)
        why = services.why_blocked(event_id=event_id, person=person)
        last = services.last_appeal(event_id=event_id, person=person)
        return Response({"blocked_why": why, "appeal": appeal_body(last) if last else None})

    @extend_schema(**documents.APPEAL)
    def post(self, request: Request, event_id: int) -> Response:
        person = fan_of(request, event_id)
        services.public_queue(event_id)
        asked = documents.AppealSerializer(data=request.data)
        asked.is_valid(raise_exception=True)
        words = asked.validated_data["words"]
        made = services.appeal(event_id=event_id, person=person, words=words, now=clock.now())
        return Response(appeal_body(made), status=201)


def fan_of(request: Request, event_id: int) -> str:
    """A person who is logged in: a place in line does not speak for somebody who has none."""
    own, headers = f"{request.scheme}://{request.get_host()}", request.headers
    shown = credentials(headers, event_id=event_id, method=request.method or "", own_origin=own)
    if shown.token:
        raise NotLoggedIn()
    return speaker(shown, now=clock.now()).person


def appeal_body(appeal: BlockAppeal) -> dict[str, Any]:
    return {
        "state": appeal.state,
        "words": appeal.words,
        "at": appeal.at.isoformat(timespec="milliseconds"),
        "answer": appeal.answer,
    }

"""The queue's calls: join, standing, claim, leave, outlook. None of them needs SQL."""

import re
from collections.abc import Awaitable, Callable
from datetime import datetime
from random import random
from typing import Any

from ticketing.core import clock
from ticketing.core.fast_path.calls import ApiCall
from ticketing.core.fast_path.front_door import waited_ms
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import ApiResponse
from ticketing.core.live.socket_slots import socket_slots
from waiting_queue import selectors, services
from waiting_queue.api import documents
from waiting_queue.api.callers import QueueAuthentication, QueueCaller
from waiting_queue.store import Standing
from waiting_queue.tokens import QueueToken

TURN = re.compile(r"(?:^|&)turn=([0-9]{1,18})(?:&|$)")
QUEUE = "events/<int:event_id>/queue/"


def explained(service: Callable[..., Any]) -> Callable[..., Any]:
    """The service; where Redis has no line, it raises the reason."""

    def explained_service(*, event_id: int, **arguments: Any) -> Any:
        with services.explain_no_line(event_id):
            return service(event_id=event_id, **arguments)

    return explained_service


def aexplained(service: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
    async def explained_service(*, event_id: int, **arguments: Any) -> Any:
        async with services.aexplain_no_line(event_id):
            return await service(event_id=event_id, **arguments)

    return explained_service


def standing(*, turn: int, **caller: Any) -> Standing:
    """Redis is never behind what the caller has seen."""
    return services.standing(**caller)


async def known_or_astanding(
    *, event_id: int, person: str, now: datetime, token: QueueToken | None, turn: int
) -> Standing | str:
    """A poll with a queue token is answered from memory where this process follows the line."""
    known = services.known_standing(token, luck=spread(), turn=turn) if token else None
    return known or await services.astanding(event_id=event_id, person=person, now=now, token=token)


def spread() -> float:
    return random()  # noqa: S311 - spreads polls, guards nothing


def for_caller(request: ApiRequest) -> dict[str, Any]:
    caller: QueueCaller = request.caller
    event_id = request.path_params["event_id"]
    return {
        "event_id": event_id,
        "person": caller.person,
        "now": request.now,
        "token": caller.token,
    }


def for_poll(request: ApiRequest) -> dict[str, Any]:
    """With the turn that the caller has seen, if they say so."""
    return for_caller(request) | {"turn": turn_of(request.query)}


def turn_of(query: str) -> int:
    found = TURN.search(query) if query else None
    return int(found[1]) if found else 0


def for_claim(request: ApiRequest) -> dict[str, Any]:
    waited = waited_ms(request.headers, int(1000 * request.now.timestamp()))
    return for_caller(request) | {"waited_ms": waited}


def for_account(request: ApiRequest) -> dict[str, Any]:
    """Joining takes more than a queue token."""
    person = request.caller.require_account()
    return {"event_id": request.path_params["event_id"], "person": person, "now": request.now}


def render_joined(request: ApiRequest, joined: Standing) -> ApiResponse:
    response = render_standing(request, joined)
    response.content["socket_after_ms"] = socket_slots.take(clock.monotonic())
    return response


def render_standing(request: ApiRequest, found: Standing | str) -> ApiResponse:
    if isinstance(found, str):
        return ApiResponse(200, found.encode())
    caller: QueueCaller = request.caller
    body = selectors.standing_body(
        event_id=request.path_params["event_id"],
        person=caller.person,
        standing=found,
        now=request.now,
        jitter=spread(),
        held=caller.token,
    )
    return ApiResponse(201 if found.just_joined else 200, body)


STANDING = ApiCall(
    method="GET",
    path=QUEUE,
    document=documents.STANDING,
    authentication=QueueAuthentication,
    arguments=for_poll,
    service=explained(standing),
    aservice=aexplained(known_or_astanding),
    render=render_standing,
)
JOIN = ApiCall(
    method="POST",
    path=QUEUE,
    document=documents.JOIN,
    authentication=QueueAuthentication,
    arguments=for_account,
    service=explained(services.join),
    aservice=aexplained(services.ajoin),
    render=render_joined,
)
LEAVE = ApiCall(
    method="DELETE",
    path=QUEUE,
    document=documents.LEAVE,
    authentication=QueueAuthentication,
    arguments=for_caller,
    service=explained(services.leave),
    aservice=aexplained(services.aleave),
    render=lambda request, was: ApiResponse(200, {"was": was}),
)
CLAIM = ApiCall(
    method="POST",
    path=f"{QUEUE}claim/",
    document=documents.CLAIM,
    authentication=QueueAuthentication,
    arguments=for_claim,
    service=explained(services.claim),
    aservice=aexplained(services.aclaim),
    render=render_standing,
)
OUTLOOK = ApiCall(
    method="GET",
    path=f"{QUEUE}outlook/",
    document=documents.OUTLOOK,
    service=services.announcements,
    aservice=services.aannouncements,
    render=lambda request, outlook: ApiResponse(200, outlook),
)
CALLS = [STANDING, JOIN, LEAVE, CLAIM, OUTLOOK]

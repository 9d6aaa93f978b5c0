"""The queue's calls: join, standing, claim, leave, outlook. None of them needs SQL."""

import re
from collections.abc import Awaitable, Callable
from dataclasses import replace
from datetime import datetime
from random import random
from typing import Any

from ticketing.core.browsers import Browser
from ticketing.core.fast_path.calls import ApiCall
from ticketing.core.fast_path.front_door import waited_ms
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import ApiResponse
from waiting_queue import selectors, services
from waiting_queue.api import documents
from waiting_queue.api.callers import QueueAuthentication, QueueCaller
from waiting_queue.store import Standing
from waiting_queue.tokens import QueueToken

TURN = re.compile(r"(?:^|&)turn=([0-9]{1,18})(?:&|$)")
QUEUE = "events/<int:event_id>/queue/"
TOKEN_FIELDS = ("token", "status", "rank", "aheadCount")


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
    *,
    event_id: int,
    person: str,
    now: datetime,
    token: QueueToken | None,
    browser: str,
    turn: int,
) -> Standing | str:
    """A poll with a queue token is answered from memory where this process follows the line."""
    known = services.known_standing(token, luck=spread(), turn=turn) if token else None
    return known or await services.astanding(
        event_id=event_id, person=person, now=now, token=token, browser=browser
    )


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
    caller: QueueCaller = request.caller
    # The token of a place in line says nothing about a pass, and a crowd polls with it.
    waits = caller.token and not caller.token.browser
    browser = "" if waits else caller.browser.known_mark
    return for_caller(request) | {"turn": turn_of(request.query), "browser": browser}


def turn_of(query: str) -> int:
    found = TURN.search(query) if query else None
    return int(found[1]) if found else 0


def for_claim(request: ApiRequest) -> dict[str, Any]:
    waited = waited_ms(request.headers, int(1000 * request.now.timestamp()))
    return for_caller(request) | {"waited_ms": waited, "browser": request.caller.browser.known_mark}


def for_join(request: ApiRequest) -> dict[str, Any]:
    """Joining takes more than a queue token: an account, and what the event asks of its owner."""
    caller: QueueCaller = request.caller
    return {
        "event_id": request.path_params["event_id"],
        "person": caller.require_account(),
        "known": caller,
        "now": request.now,
        "browser": caller.browser.known_mark,
        "newcomer": caller.newcomer(request.client),
    }


def render_joined(request: ApiRequest, joined: Standing) -> ApiResponse:
    response = render_claimed(request, joined)
    event_id = request.path_params["event_id"]
    response.content["socket_after_ms"] = services.socket_after_ms(event_id, joined)
    return response


def render_claimed(request: ApiRequest, found: Standing) -> ApiResponse:
    """A new browser keeps its cookie for the pass, unless another of this person has that."""
    browser: Browser = request.caller.browser
    headers = {} if found.is_elsewhere(browser.mark) else browser.headers
    return render_standing(request, found)._replace(headers=headers)


def render_standing(request: ApiRequest, found: Standing | str) -> ApiResponse:
    if isinstance(found, str):
        return ApiResponse(200, found.encode())
    body = standing_body(request, found)
    return ApiResponse(201 if found.just_joined else 200, body)


def standing_body(request: ApiRequest, found: Standing) -> dict[str, Any]:
    caller: QueueCaller = request.caller
    return selectors.standing_body(
        event_id=request.path_params["event_id"],
        person=caller.person,
        standing=found,
        now=request.now,
        jitter=spread(),
        held=caller.token,
        browser=caller.browser.mark,
    )


def render_token(request: ApiRequest, joined: Standing) -> ApiResponse:
    """The four fields of whoever knows `/token`."""
    response = render_claimed(request, joined)
    return response._replace(content={name: response.content[name] for name in TOKEN_FIELDS})


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
    arguments=for_join,
    service=explained(services.join),
    aservice=aexplained(services.ajoin),
    render=render_joined,
)
TOKEN = replace(
    JOIN, path="events/<int:event_id>/token/", document=documents.TOKEN, render=render_token
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
    render=render_claimed,
)
OUTLOOK = ApiCall(
    method="GET",
    path=f"{QUEUE}outlook/",
    document=documents.OUTLOOK,
    service=services.announcements,
    aservice=services.aannouncements,
    render=lambda request, outlook: ApiResponse(200, outlook),
)
CALLS = [STANDING, JOIN, TOKEN, LEAVE, CLAIM, OUTLOOK]

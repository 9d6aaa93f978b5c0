"""The endpoint decorator: route, authentication, faults, idempotency, PortOne's errors."""

import hmac
import json
import random
import re
from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any, cast

from django.conf import settings

from payments.sandbox import idempotency
from payments.sandbox.api.fields import Body
from payments.sandbox.api.requests import (
    ApiRequest,
    Receive,
    Scope,
    Send,
    read_request,
    send_response,
)
from payments.sandbox.delays import delay
from payments.sandbox.errors import Forbidden, Refusal, Unauthorized
from payments.sandbox.idempotency import Answer
from payments.sandbox.selectors import faults
from ticketing.core import clock
from ticketing.core.fast_path.threads import in_thread

Handler = Callable[..., Any]  # returns an Answer, or a coroutine of one
PREFIX = "/sandbox/portone/"
NOT_JSON = "<html><body><h1>{}</h1></body></html>"

_routes: list[tuple[re.Pattern[str], str, Handler]] = []


def endpoint(method: str, path: str) -> Callable[[Handler], Handler]:
    """Route this call to `handler(body, …)`, which returns an Answer or raises a Refusal.

    A plain function runs in a thread; a coroutine function may wait without one.
    """
    pattern = re.compile(re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", PREFIX + path))

    def decorate(handler: Handler) -> Handler:
        _routes.append((pattern, method, handler))
        return handler

    return decorate


async def respond(scope: Scope, receive: Receive, send: Send) -> bool:
    """Answer a call of the API; False if this is none."""
    for pattern, method, handler in _routes:
        if match := pattern.fullmatch(scope["path"]):
            if scope["method"] != method:
                await send_response(send, 405, b"", b"text/html")
            else:
                request = await read_request(scope, receive)
                await _send_answer(send, await _answer(request, handler, match.groupdict()))
            return True
    return False


async def _answer(request: ApiRequest, handler: Handler, parts: dict[str, str]) -> Answer:
    """An injected fault (`testing.set_faults`) delays the call, or fails it before it begins."""
    injected = await in_thread(faults)
    await delay(injected.latency)
    if random.random() < injected.failure_rate:  # noqa: S311 - no secret
        return Answer(503, {}, is_lost=True)
    try:
        body = request.body
        _require_authorization(request, body)
        key = request.headers.get("idempotency-key", "").strip('"')
        if key and request.method != "GET":
            return await _answer_once(request, handler, parts, body, key)
        return await _run(handler, body, parts)
    except Refusal as refusal:
        return Answer(refusal.status, refusal.body)


async def _answer_once(
    request: ApiRequest, handler: Handler, parts: dict[str, str], body: Body, key: str
) -> Answer:
    earlier = await in_thread(
        idempotency.begin, key=key, path=request.path, body=body, now=clock.now()
    )
    if earlier is not None:
        return earlier
    try:
        answer = await _run(handler, body, parts)
    except Refusal as refusal:
        answer = Answer(refusal.status, refusal.body)
    except BaseException:
        await in_thread(idempotency.give_up, key=key)
        raise
    await in_thread(idempotency.finish, key=key, answer=answer)
    return answer


async def _run(handler: Handler, body: Body, parts: dict[str, str]) -> Answer:
    if iscoroutinefunction(handler):
        return cast(Answer, await handler(body, **parts))
    return cast(Answer, await in_thread(handler, body, **parts))


def _require_authorization(request: ApiRequest, body: Body) -> None:
    expected = f"PortOne {settings.PORTONE_API_SECRET}".encode()
    given = request.headers.get("authorization", "").encode()
    if not hmac.compare_digest(given, expected):
        raise Unauthorized()
    store = body.get("storeId") or request.query.get("storeId")
    if store not in (None, settings.PORTONE_STORE_ID):
        raise Forbidden()


async def _send_answer(send: Send, answer: Answer) -> None:
    """A lost answer is a proxy's page, after its delay."""
    if answer.hold:
        await delay(answer.hold)
    if answer.hold or answer.is_lost:
        status = 504 if answer.hold else answer.status
        await send_response(send, status, NOT_JSON.format(status).encode(), b"text/html")
    else:
        await send_response(send, answer.status, json.dumps(answer.body).encode())

"""The endpoint decorator: route, authentication, faults, idempotency, PortOne's errors."""

import hmac
import json
import random
import re
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from functools import cached_property, partial

from django.conf import settings
from django.db import IntegrityError, OperationalError, transaction

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

PREFIX = "/sandbox/portone/"
NOT_JSON = "<html><body><h1>{}</h1></body></html>"


@dataclass(frozen=True)
class Delay:
    """The call goes on with `then` after so many seconds, in which it takes no thread."""

    seconds: float
    then: "Step"


Step = Callable[[], Answer | Delay]
Handler = Callable[..., Answer | Delay]
FastCall = Callable[..., Awaitable[Answer | None]]

_routes: list[tuple[re.Pattern[str], str, Handler, FastCall | None]] = []


def endpoint(method: str, path: str, fast: FastCall | None = None) -> Callable[[Handler], Handler]:
    """Route this call to `handler(body, …)`, which returns an Answer or raises a Refusal.

    `fast` is tried first, in the event loop; what it leaves undecided is up to the handler.
    """
    pattern = re.compile(re.sub(r"<(\w+)>", r"(?P<\1>[^/]+)", PREFIX + path))

    def decorate(handler: Handler) -> Handler:
        _routes.append((pattern, method, handler, fast))
        return handler

    return decorate


async def respond(scope: Scope, receive: Receive, send: Send) -> bool:
    """Answer a call of the API; False if this is none."""
    for pattern, method, handler, fast in _routes:
        if match := pattern.fullmatch(scope["path"]):
            if scope["method"] != method:
                await send_response(send, 405, b"", b"text/html")
            else:
                request = await read_request(scope, receive)
                call = _Call(request, handler, match.groupdict(), fast)
                await _send_answer(send, await call.answer_fast() or await _answer(call))
            return True
    return False


async def _answer(call: "_Call") -> Answer:
    """The steps of a call run in a thread, one after the other; delays between them do not."""
    step: Step = call.start
    try:
        while isinstance(outcome := await in_thread(step), Delay):
            await delay(outcome.seconds)
            step = outcome.then
    except BaseException:
        await in_thread(call.give_up)
        raise
    return outcome


@dataclass(frozen=True)
class _Call:
    request: ApiRequest
    handler: Handler
    parts: dict[str, str]
    fast: FastCall | None = None

    async def answer_fast(self) -> Answer | None:
        """The answer of the fast call; None if nothing is decided, and nothing was written."""
        if self.fast is None:
            return None
        try:
            body = self.request.body
            _require_authorization(self.request, body)
            if self.key and not idempotency.KEY.fullmatch(self.key):
                return None
            fingerprint = idempotency.fingerprint_of(self.request.path, body) if self.key else ""
            return await self.fast(body, **self.parts, key=self.key, fingerprint=fingerprint)
        except (Refusal, IntegrityError, OperationalError):  # the handler gives the reason
            return None

    @cached_property
    def key(self) -> str:
        key = self.request.headers.get("idempotency-key", "").strip('"')
        return "" if self.request.method == "GET" else key

    def start(self) -> Answer | Delay:
        """An injected fault (`testing.set_faults`) delays the call, or fails it first."""
        injected = faults()
        failed = random.random() < injected.failure_rate  # noqa: S311 - no secret
        step = partial(Answer, 503, {}, is_lost=True) if failed else self.carry_out
        return Delay(injected.latency, step) if injected.latency else step()

    def carry_out(self) -> Answer | Delay:
        try:
            body = self.request.body
            _require_authorization(self.request, body)
            earlier = self._earlier_answer(body)
        except Refusal as refusal:
            return Answer(refusal.status, refusal.body)
        return earlier or self.run(partial(self.handler, body, **self.parts))

    def _earlier_answer(self, body: Body) -> Answer | None:
        if not self.key:
            return None
        return idempotency.begin(key=self.key, path=self.request.path, body=body, now=clock.now())

    @transaction.atomic
    def run(self, step: Step) -> Answer | Delay:
        """What was done and its answer are committed together: a repeat finds both, or neither."""
        try:
            outcome = step()
        except Refusal as refusal:
            outcome = Answer(refusal.status, refusal.body)
        if isinstance(outcome, Delay):
            return Delay(outcome.seconds, partial(self.run, outcome.then))
        if self.key:
            idempotency.finish(key=self.key, answer=outcome)
        return outcome

    def give_up(self) -> None:
        if self.key:
            idempotency.give_up(key=self.key)


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

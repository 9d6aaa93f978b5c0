"""Between HTTP and the sandbox: who may call, in which weather, and refusals in PortOne's shape."""

import hmac
import json
import random
from collections.abc import Callable
from functools import wraps
from typing import Any

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from payments.sandbox import calls
from payments.sandbox.calls import Answer
from payments.sandbox.errors import Forbidden, InvalidRequest, Refusal, Unauthorized
from payments.sandbox.guard import require_home
from payments.sandbox.patience import rest
from payments.sandbox.selectors import weather
from ticketing.core import clock

Body = dict[str, Any]
Handler = Callable[..., Answer]
View = Callable[..., HttpResponse]
LARGEST = 10**12
NOT_JSON = "<html><body><h1>{}</h1></body></html>"


def call(method: str) -> Callable[[Handler], View]:
    """Makes an API call of `handler(request, body, …)`, which returns or raises its answer."""

    def decorate(handler: Handler) -> View:
        @csrf_exempt
        @require_http_methods([method])
        @wraps(handler)
        def view(request: HttpRequest, **parts: str) -> HttpResponse:
            require_home()
            if storm := _storm():
                return storm
            return _sent(_answered(request, handler, parts))

        return view

    return decorate


def _storm() -> HttpResponse | None:
    """The weather that `control` made: calls that take long, or fail before they begin."""
    now = weather()
    rest(now.latency)
    failed = random.random() < now.failure_rate  # noqa: S311 - no secret
    return HttpResponse(NOT_JSON.format("503"), status=503) if failed else None


def _answered(request: HttpRequest, handler: Handler, parts: dict[str, str]) -> Answer:
    try:
        body = _body(request)
        _require_permission(request, body)
        key = request.headers.get("Idempotency-Key", "").strip('"')
        if not key or request.method == "GET":
            return handler(request, body, **parts)
        return _answered_once(request, handler, parts, body, key)
    except Refusal as refusal:
        return Answer(refusal.status, refusal.body)


def _answered_once(
    request: HttpRequest, handler: Handler, parts: dict[str, str], body: Body, key: str
) -> Answer:
    earlier = calls.begin(key=key, path=request.path, body=body, now=clock.now())
    if earlier is not None:
        return earlier
    try:
        answer = handler(request, body, **parts)
    except Refusal as refusal:
        answer = Answer(refusal.status, refusal.body)
    except BaseException:
        calls.give_up(key=key)
        raise
    calls.finish(key=key, answer=answer)
    return answer


def _body(request: HttpRequest) -> Body:
    """PortOne takes the body of a GET from the query."""
    raw = request.GET.get("requestBody", "") if request.method == "GET" else request.body
    try:
        body = json.loads(raw or "{}")
    except ValueError:
        raise InvalidRequest("The body is not JSON.") from None
    if not isinstance(body, dict):
        raise InvalidRequest("The body is not an object.")
    return body


def _require_permission(request: HttpRequest, body: Body) -> None:
    expected = f"PortOne {settings.PORTONE_API_SECRET}".encode()
    given = request.headers.get("Authorization", "").encode()
    if not hmac.compare_digest(given, expected):
        raise Unauthorized()
    store = body.get("storeId") or request.GET.get("storeId")
    if store not in (None, settings.PORTONE_STORE_ID):
        raise Forbidden()


def _sent(answer: Answer) -> HttpResponse:
    """What is held back is what a proxy says in the end: it has waited long enough."""
    if answer.hold:
        rest(answer.hold)
        return HttpResponse(NOT_JSON.format("504"), status=504)
    return JsonResponse(answer.body, status=answer.status)


# -- what a body holds ----------------------------------------------------------------------------


def whole_number(body: Body, name: str) -> int | None:
    value: int | None = _typed(body, name, int)
    if value is not None and not 0 <= value <= LARGEST:
        raise InvalidRequest(f"{name} is out of range.")
    return value


def text(body: Body, name: str, longest: int = 500) -> str | None:
    value: str | None = _typed(body, name, str)
    if value is not None and (len(value) > longest or "\0" in value):
        raise InvalidRequest(f"{name} is too long, or not text.")
    return value


def part(body: Body, name: str) -> Body:
    return _typed(body, name, dict) or {}


def flag(body: Body, name: str) -> bool | None:
    return _typed(body, name, bool)


def _typed(body: Body, name: str, kind: type) -> Any:
    value = body.get(name)
    if value is None or type(value) is kind:
        return value
    raise InvalidRequest(f"{name} is not of the right kind.")

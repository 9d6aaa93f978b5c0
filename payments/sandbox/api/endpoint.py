"""The endpoint decorator: authentication, faults, idempotency, and errors in PortOne's format."""

import hmac
import json
import random
from collections.abc import Callable
from functools import wraps

from django.conf import settings
from django.http import HttpRequest, HttpResponse, JsonResponse
from django.views.decorators.csrf import csrf_exempt
from django.views.decorators.http import require_http_methods

from payments.sandbox import idempotency
from payments.sandbox.api.fields import Body
from payments.sandbox.availability import require_enabled
from payments.sandbox.delays import delay
from payments.sandbox.errors import Forbidden, InvalidRequest, Refusal, Unauthorized
from payments.sandbox.idempotency import Answer
from payments.sandbox.selectors import faults
from ticketing.core import clock

Handler = Callable[..., Answer]
View = Callable[..., HttpResponse]
NOT_JSON = "<html><body><h1>{}</h1></body></html>"


def endpoint(method: str) -> Callable[[Handler], View]:
    """Make a view of `handler(request, body, …)`, which returns an Answer or raises a Refusal."""

    def decorate(handler: Handler) -> View:
        @csrf_exempt
        @require_http_methods([method])
        @wraps(handler)
        def view(request: HttpRequest, **parts: str) -> HttpResponse:
            require_enabled()
            if fault := _injected_fault():
                return fault
            return _response(_answer(request, handler, parts))

        return view

    return decorate


def _injected_fault() -> HttpResponse | None:
    """Delay the call, or fail it before it begins, as `testing.set_faults` asks for."""
    injected = faults()
    delay(injected.latency)
    fails = random.random() < injected.failure_rate  # noqa: S311 - no secret
    return HttpResponse(NOT_JSON.format("503"), status=503) if fails else None


def _answer(request: HttpRequest, handler: Handler, parts: dict[str, str]) -> Answer:
    try:
        body = _body(request)
        _require_authorization(request, body)
        key = request.headers.get("Idempotency-Key", "").strip('"')
        if not key or request.method == "GET":
            return handler(request, body, **parts)
        return _answer_once(request, handler, parts, body, key)
    except Refusal as refusal:
        return Answer(refusal.status, refusal.body)


def _answer_once(
    request: HttpRequest, handler: Handler, parts: dict[str, str], body: Body, key: str
) -> Answer:
    earlier = idempotency.begin(key=key, path=request.path, body=body, now=clock.now())
    if earlier is not None:
        return earlier
    try:
        answer = handler(request, body, **parts)
    except Refusal as refusal:
        answer = Answer(refusal.status, refusal.body)
    except BaseException:
        idempotency.give_up(key=key)
        raise
    idempotency.finish(key=key, answer=answer)
    return answer


def _body(request: HttpRequest) -> Body:
    """For GET, PortOne takes the body from the query string."""
    raw = request.GET.get("requestBody", "") if request.method == "GET" else request.body
    if request.method != "GET" and len(raw) < int(request.headers.get("Content-Length") or 0):
        # The client hung up. Without this its key would be used up by an empty request.
        raise InvalidRequest("The body is incomplete.")
    try:
        body = json.loads(raw or "{}")
    except ValueError:
        raise InvalidRequest("The body is not JSON.") from None
    if not isinstance(body, dict):
        raise InvalidRequest("The body is not an object.")
    return body


def _require_authorization(request: HttpRequest, body: Body) -> None:
    expected = f"PortOne {settings.PORTONE_API_SECRET}".encode()
    given = request.headers.get("Authorization", "").encode()
    if not hmac.compare_digest(given, expected):
        raise Unauthorized()
    store = body.get("storeId") or request.GET.get("storeId")
    if store not in (None, settings.PORTONE_STORE_ID):
        raise Forbidden()


def _response(answer: Answer) -> HttpResponse:
    """A withheld answer ends as a proxy's 504."""
    if answer.hold:
        delay(answer.hold)
        return HttpResponse(NOT_JSON.format("504"), status=504)
    return JsonResponse(answer.body, status=answer.status)

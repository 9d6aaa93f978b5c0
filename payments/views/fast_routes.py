"""The steps between our pages and the gateway, in the event loop: no page thread waits for it.

`window/`, `return/` and `verify/` ask the gateway and redirect, or leave the page to Django. Their
views do the same for what the fast path does not take, in few threads at a time.
"""

from collections.abc import Iterator
from contextlib import contextmanager, suppress
from datetime import datetime
from typing import Any
from urllib.parse import urlencode

from django.conf import settings
from django.http import QueryDict
from django.http.cookie import parse_cookie
from django.shortcuts import resolve_url

from payments import services
from payments.errors import PaymentOver, PaymentsPaused
from ticketing.accounts.selectors import acaller
from ticketing.core.error_responses import OUTAGES
from ticketing.core.errors import DomainError
from ticketing.core.event_loop import PAGE_THREADS, blocking
from ticketing.core.fast_path.application import FallThrough, route
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.responses import ApiResponse
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.slots import slot
from waiting_queue.selectors import current_queue

# Says on the result page that the gateway could not be asked.
PAUSED = "paused"
LONGEST_ID = 19
HEADERS = {
    "Content-Type": "text/html; charset=utf-8",
    "Cache-Control": "max-age=0, no-cache, no-store, must-revalidate, private",
}


async def prepare(*, number: str, fan_id: int, now: datetime) -> str:
    """Register the amount, so that the window can open; the URL to go to if that failed."""
    try:
        await services.aprepare_payment(number=number, fan_id=fan_id, now=now)
    except PaymentsPaused:
        return f"{resolve_url('payments:result', number)}?{urlencode({PAUSED: 1})}"
    return ""


async def finish(answer: QueryDict, *, number: str, fan_id: int, now: datetime) -> str:
    """Confirm or abort, as the gateway's window says; the URL to go on to. May be repeated."""
    whose: Any = {"number": number, "fan_id": fan_id, "now": now}
    if answer.get("code"):
        await services.aabort_payment(**whose)
    elif answer.get("paymentId") == number:
        with suppress(PaymentOver, PaymentsPaused):  # the result page says so
            await services.aconfirm_payment(
                **whose,
                payment_token=answer.get("paymentToken", "")[:300],
                transaction_id=answer.get("txId", "")[:100],
            )
    return resolve_url("payments:result", number)


async def verify(answer: QueryDict, *, number: str, fan_id: int, now: datetime) -> str:
    """Ask the gateway whom its window verified; the URL to go on to. May be repeated."""
    event_id = answer.get("event", "")
    event_id = event_id if event_id.isdecimal() and len(event_id) < LONGEST_ID else ""
    if answer.get("code"):  # the window was closed
        return f"{resolve_url('payments:verify')}?{urlencode({'event': event_id, 'closed': 1})}"
    await services.averify_identity(number=number, user_id=fan_id, now=now)
    if not event_id:
        return resolve_url("accounts:profile")
    line = await in_thread(current_queue, int(event_id))
    return resolve_url("queue:line" if line else "ticketing:event", int(event_id))


PREPARE = blocking(prepare, at_most=PAGE_THREADS)
FINISH = blocking(finish, at_most=PAGE_THREADS)
VERIFY = blocking(verify, at_most=PAGE_THREADS)


async def window(request: ApiRequest) -> ApiResponse:
    with _refused_by_django():
        async with slot():
            url = await prepare(**await _whose(request))
    if not url:
        raise FallThrough()  # the window can open: Django has its page
    return _see_other(url)


async def returned(request: ApiRequest) -> ApiResponse:
    with _refused_by_django():
        async with slot():
            return _see_other(await finish(request.query_params, **await _whose(request)))


async def verified(request: ApiRequest) -> ApiResponse:
    with _refused_by_django():
        async with slot():
            return _see_other(await verify(request.query_params, **await _whose(request)))


async def webhook(request: ApiRequest) -> ApiResponse:
    """Answered at once: the settlement that it triggers is not waited for."""
    if request.body is None:
        raise FallThrough()
    await in_thread(
        services.receive_webhook, body=request.body, headers=request.headers, now=request.now
    )
    return ApiResponse(200, b"", HEADERS)


async def _whose(request: ApiRequest) -> dict[str, Any]:
    cookies = parse_cookie(request.headers.get("cookie", ""))
    caller = await acaller(cookies.get(settings.SESSION_COOKIE_NAME))
    if caller is None:
        raise FallThrough()
    return {"number": request.path_params["number"], "fan_id": caller.id, "now": request.now}


@contextmanager
def _refused_by_django() -> Iterator[None]:
    """A refusal is a page in the reader's language: the view raises it again."""
    try:
        yield
    except (DomainError, *OUTAGES) as refusal:
        raise FallThrough() from refusal


def _see_other(url: str) -> ApiResponse:
    return ApiResponse(303, b"", HEADERS | {"Location": url})


ROUTES = [
    route("GET", "payments/<slug:number>/window/", window),
    route("GET", "payments/<slug:number>/return/", returned),
    route("GET", "verify/<slug:number>/", verified),
    route("POST", "payments/webhooks/portone/", webhook, reads_body=True),
]

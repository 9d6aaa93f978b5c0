"""The payment window of an ordinary sale, in the event loop: one statement for each request.

The page is a copy that Django rendered, with the order filled in. Everything unusual is left to
the view, and nothing was written then.
"""

import re
from collections.abc import Sequence
from contextlib import suppress
from functools import lru_cache
from typing import Any, cast
from urllib.parse import parse_qsl, urljoin

from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.db import IntegrityError, OperationalError
from django.http import HttpRequest, HttpResponse, QueryDict
from django.http.cookie import parse_cookie
from django.middleware.csrf import CsrfViewMiddleware
from django.utils import translation
from django.utils.encoding import escape_uri_path, iri_to_uri
from django.utils.html import escape
from django.utils.http import url_has_allowed_host_and_scheme

from payments.sandbox import timers, views, webhooks
from payments.sandbox.api.fast_calls import statement
from payments.sandbox.api.requests import Receive, Scope, Send, read_body
from payments.sandbox.behaviours import LONGEST, SECONDS, Behaviour
from payments.sandbox.models import Payment, Webhook, new_id
from payments.sandbox.services.payment_window import WindowOrder, return_parameters
from ticketing.core import clock
from ticketing.core.fast_path.copies import Copy
from ticketing.core.fast_path.page_copies import render_marked
from ticketing.core.fast_path.pages import ACCEPTS_GZIP, CSRF_COOKIE, csrf_token
from ticketing.core.fast_path.requests import headers_of_scope, is_own_host
from ticketing.core.fast_path.responses import Header, language_of
from ticketing.core.fast_path.threads import in_render_thread
from ticketing.core.money import money
from ticketing.core.sql import arows, instance

WINDOW = re.compile(r"/sandbox/portone/checkout/([^/]{1,64})")
READY = "Transaction.Ready"
_csrf = CsrfViewMiddleware(lambda request: HttpResponse())
_copies: dict[str, tuple[float, Copy]] = {}
COPY_SECONDS = 5.0


class Unusual(Exception):
    """The view decides."""


async def respond(scope: Scope, receive: Receive, send: Send) -> Receive | None:
    """Answer a request for the window; else what the view shall receive, with the body again."""
    match = WINDOW.fullmatch(scope["path"])
    if not match or scope["scheme"] != "http" or scope["method"] not in ("GET", "POST"):
        return receive
    body = await read_body(receive)
    with suppress(Unusual, OperationalError, IntegrityError):  # the view gives the reason
        request = WindowRequest(scope, match[1], body)
        answer = await (_show(request) if scope["method"] == "GET" else _choose(request))
        status, headers, content = answer
        await send({"type": "http.response.start", "status": status, "headers": headers})
        await send({"type": "http.response.body", "body": content})
        return None

    messages = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def again() -> Any:
        return next(messages, None) or await receive()

    return again


class WindowRequest:
    """What the view would read from it; raises `Unusual`."""

    def __init__(self, scope: Scope, payment_id: str, body: bytes) -> None:
        self.payment_id, self.body = payment_id, body
        self.headers = headers_of_scope(cast(Any, scope))
        self.host, query = self.headers.get("host", ""), scope["query_string"].decode("latin1")
        self.query = QueryDict(query)
        self.address_end = f"{escape_uri_path(payment_id)}?{iri_to_uri(query)}"
        self.cookies = parse_cookie(self.headers.get("cookie", ""))
        self.redirect = self.query.get("redirect", "")
        self.address = (scope.get("client") or ("127.0.0.1",))[0]
        is_usual = (
            "\0" not in query
            and "%00" not in query
            and is_own_host(self.host, tuple(settings.ALLOWED_HOSTS))
            and url_has_allowed_host_and_scheme(self.redirect, allowed_hosts={self.host})
            and CSRF_COOKIE.fullmatch(self.cookies.get(settings.CSRF_COOKIE_NAME, "a" * 32))
        )
        if not is_usual:
            raise Unusual

    @property
    def order(self) -> WindowOrder:
        return views.order_of(self.query, f"http://{self.host}/", self.address)

    def require_own_form(self) -> None:
        """As Django's middleware does."""
        request = HttpRequest()
        request.method, request.COOKIES, request.POST = "POST", self.cookies, QueryDict(self.body)
        request.META = {"HTTP_HOST": self.host, "SERVER_NAME": self.host, "SERVER_PORT": "80"}
        for name in ("origin", "referer"):
            if name in self.headers:
                request.META[f"HTTP_{name.upper()}"] = self.headers[name]
        _csrf.process_request(request)
        if _csrf.process_view(request, views.checkout, (), {}):
            raise Unusual


Answer = tuple[int, list[Header], bytes]


async def _show(request: WindowRequest) -> Answer:
    order, now = request.order, clock.now()
    opened = Payment(payment_id=request.payment_id, transaction_id=new_id("tx"))
    values = {
        "payment_id": request.payment_id,
        "seconds": str(SECONDS),
        "amount": order.amount,
        "currency": order.currency,
        "transaction_id": opened.transaction_id,
        "name": order.name,
        "channel_key": order.channel_key or settings.PORTONE_CHANNEL_KEY,
        "origin": order.origin,
        "address": order.address,
        "now": now,
        "webhook_id": new_id("msg"),
        "kind": READY,
        "url": urljoin(order.origin, settings.PAYMENTS_SANDBOX_WEBHOOK),
        "webhook_body": webhooks.body_of(opened, READY, None, now),
    }
    language = language_of(request.headers, request.cookies)
    copy = await _copy(language)
    for row in await arows(statement("open_window"), values):
        if row["id"]:
            timers.start(webhooks.deliver, instance(Webhook, row))
        return _page(request, copy, row, language)
    raise Unusual


def _page(request: WindowRequest, copy: Copy, row: dict[str, Any], language: str) -> Answer:
    token, cookie = csrf_token(request.cookies)
    with translation.override(language):
        amount = money(row["amount"], row["currency"])
    values = {
        "order": escape(row["order_name"]),
        "amount": escape(amount),
        "number": escape(request.payment_id),
        "path": escape(request.address_end),
        "csrf": token,
    }
    compressed = bool(ACCEPTS_GZIP.search(request.headers.get("accept-encoding", "")))
    filled = copy.filled(values, compressed=compressed, more=[(b"set-cookie", cookie)])
    headers = _varying(filled.headers, b"Accept-Encoding, Accept-Language, Cookie")
    return filled.status, headers, filled.body


def _varying(headers: Sequence[Header], names: bytes) -> list[Header]:
    return [(name, names if name == b"vary" else value) for name, value in headers]


async def _copy(language: str) -> Copy:
    """A page of the last few seconds; while one request renders it, others get the last one."""
    made, copy = _copies.get(language, (0.0, None))
    if copy is None or clock.monotonic() - made > COPY_SECONDS:
        if copy:
            _copies[language] = clock.monotonic(), copy
        copy = await in_render_thread(_render, language)
        _copies[language] = clock.monotonic(), copy
    if copy.status != 200:
        raise Unusual
    return copy


def _render(language: str) -> Copy:
    return render_marked("/sandbox/portone/checkout/{path}", language, _handler())


@lru_cache(maxsize=1)
def _handler() -> Any:
    return get_wsgi_application().get_response


async def _choose(request: WindowRequest) -> Answer:
    form, order = dict(parse_qsl(request.body.decode("latin1"))), request.order
    seconds = form.get("seconds", "")
    is_form = request.headers.get("content-type", "") == "application/x-www-form-urlencoded"
    if not is_form or form.get("behaviour") != Behaviour.SUCCEED or not seconds.isdecimal():
        raise Unusual
    if float(seconds) > LONGEST:
        raise Unusual
    request.require_own_form()
    copy = await _copy(language_of(request.headers, request.cookies))
    values: dict[str, Any] = {
        "payment_id": request.payment_id,
        "token": new_id("payment-token"),
        "seconds": seconds,
        "amount": order.amount,
        "currency": order.currency,
    }
    for row in await arows(statement("choose_success"), values):
        chosen = Payment(
            payment_id=request.payment_id,
            transaction_id=row["transaction_id"],
            token=values["token"],
            state=Payment.State.READY,
        )
        address = iri_to_uri(views.with_query(request.redirect, return_parameters(chosen)))
        dropped = (b"content-type", b"content-length")
        kept = [header for header in copy.headers if header[0] not in dropped]
        headers = _varying(kept, b"Accept-Language")
        return 303, [*headers, (b"location", address.encode()), (b"content-length", b"0")], b""
    raise Unusual

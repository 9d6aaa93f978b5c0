"""The calls of PortOne's V2 API that the shop makes, at the same paths below our own."""

from datetime import datetime, timedelta
from typing import Any

from django.http import HttpRequest
from django.utils.dateparse import parse_datetime

from payments.sandbox import bodies, selectors, services
from payments.sandbox.behaviours import Behaviour
from payments.sandbox.calls import Answer
from payments.sandbox.errors import InvalidRequest
from payments.sandbox.models import Payment
from payments.sandbox.patience import rest
from payments.sandbox.wire import Body, call, flag, part, text, whole_number
from ticketing.core import clock

LONGEST_LIST = 1000
LOOK_BACK = timedelta(days=90)


@call("POST")
def pre_register(request: HttpRequest, body: Body, payment_id: str) -> Answer:
    services.pre_register(
        payment_id=payment_id,
        amount=whole_number(body, "totalAmount"),
        currency=text(body, "currency", longest=3),
        origin=request.build_absolute_uri("/"),
        now=clock.now(),
    )
    return Answer(200, {})


@call("GET")
def payment(request: HttpRequest, body: Body, payment_id: str) -> Answer:
    found = selectors.payment_known_as(payment_id)
    if found.state == Payment.State.PAY_PENDING:
        services.settle_charge(payment_id, now=clock.now())
    if found.behaviour == Behaviour.REFUND_PENDING:
        services.settle_refunds(payment_id, now=clock.now())
    return Answer(200, bodies.payment_body(selectors.payment_known_as(payment_id)))


@call("POST")
def confirm(request: HttpRequest, body: Body, payment_id: str) -> Answer:
    found = selectors.payment_known_as(payment_id)
    if found.behaviour == Behaviour.SLOW:
        rest(found.seconds)
    if found.behaviour == Behaviour.VANISH and found.token:
        return Answer(504, {}, hold=found.seconds)
    paid = services.confirm(
        payment_id=payment_id,
        token=text(body, "paymentToken") or "",
        expected=_expected(body),
        tell=not flag(body, "skipWebhook"),
        now=clock.now(),
    )
    summary = {key: bodies.payment_body(paid)[key] for key in ("pgTxId", "paidAt")}
    return Answer(200, summary, hold=_held(paid, Behaviour.TIME_OUT))


def _expected(body: Body) -> services.Expected:
    return services.Expected(
        amount=whole_number(body, "totalAmount"),
        currency=text(body, "currency"),
        transaction_id=text(body, "txId"),
        is_test=flag(body, "isTest"),
    )


def _held(payment: Payment, behaviour: Behaviour) -> float:
    return payment.seconds if payment.behaviour == behaviour else 0


@call("POST")
def capture(request: HttpRequest, body: Body, payment_id: str) -> Answer:
    services.capture(payment_id=payment_id)
    return Answer(200, {})


@call("POST")
def cancel(request: HttpRequest, body: Body, payment_id: str) -> Answer:
    reason = text(body, "reason")
    if not reason:
        raise InvalidRequest("A cancellation needs a reason.")
    cancellation = services.cancel(
        payment_id=payment_id,
        reason=reason,
        amount=whole_number(body, "amount"),
        believed_left=whole_number(body, "currentCancellableAmount"),
        tell=not flag(body, "skipWebhook"),
        now=clock.now(),
    )
    answer = {"cancellation": bodies.cancellation_body(cancellation)}
    return Answer(200, answer, hold=_held(cancellation.payment, Behaviour.REFUND_TIME_OUT))


@call("POST")
def resend_webhook(request: HttpRequest, body: Body, payment_id: str) -> Answer:
    webhook = services.resend(payment_id=payment_id, webhook_id=text(body, "webhookId"))
    return Answer(200, {"webhook": bodies.webhook_body(webhook) | {"trigger": "MANUAL"}})


@call("GET")
def payments(request: HttpRequest, body: Body) -> Answer:
    """By pages, as an operator looks for them."""
    found, page = _between(part(body, "filter")), part(body, "page")
    number, size = whole_number(page, "number") or 0, _size(page)
    items = [bodies.payment_body(one) for one in found[number * size : (number + 1) * size]]
    info = {"number": number, "size": size, "totalCount": found.count()}
    return Answer(200, {"items": items, "page": info})


@call("GET")
def payments_by_cursor(request: HttpRequest, body: Body) -> Answer:
    """One after the other, as a nightly comparison reads them."""
    cursor = text(body, "cursor") or "0"
    if not cursor.isdecimal():
        raise InvalidRequest("That is not a cursor of ours.")
    found = _between(body).filter(pk__gt=int(cursor))[: _size(body)]
    items = [{"payment": bodies.payment_body(one), "cursor": str(one.pk)} for one in found]
    return Answer(200, {"items": items})


def _between(wanted: Body) -> Any:
    until = _when(wanted, "until") or clock.now()
    return selectors.payments_between(
        since=_when(wanted, "from") or until - LOOK_BACK,
        until=until,
        by_change=text(wanted, "timestampType") == "STATUS_CHANGED_AT",
        states=wanted.get("status") or (),
    )


def _when(wanted: Body, name: str) -> datetime | None:
    raw = text(wanted, name)
    if raw is None:
        return None
    found = parse_datetime(raw)
    if found is None or found.tzinfo is None:
        raise InvalidRequest(f"{name} is not a moment.")
    return found


def _size(wanted: Body) -> int:
    return max(1, min(LONGEST_LIST, whole_number(wanted, "size") or 10))

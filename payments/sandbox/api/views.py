"""The calls of PortOne's V2 API that the shop uses, at the same paths."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.utils.dateparse import parse_datetime

from payments.sandbox import selectors, services
from payments.sandbox.api import fast_calls, serializers
from payments.sandbox.api.endpoint import Delay, endpoint
from payments.sandbox.api.fields import Body, flag, part, text, whole_number
from payments.sandbox.behaviours import Behaviour
from payments.sandbox.errors import InvalidRequest
from payments.sandbox.idempotency import Answer
from payments.sandbox.models import Payment
from ticketing.core import clock

LONGEST_PAGE = 1000
DEFAULT_SPAN = timedelta(days=90)


@endpoint("POST", "payments/<payment_id>/pre-register", fast=fast_calls.pre_register)
def pre_register(body: Body, payment_id: str) -> Answer:
    services.pre_register(
        payment_id=payment_id,
        amount=whole_number(body, "totalAmount"),
        currency=text(body, "currency", longest=3),
        now=clock.now(),
    )
    return Answer(200, {})


@endpoint("GET", "payments/<payment_id>", fast=fast_calls.payment)
def payment(body: Body, payment_id: str) -> Answer:
    found = selectors.known_payment(payment_id)
    if found.state == Payment.State.PAY_PENDING:
        services.settle_charge(payment_id, now=clock.now())
        found = selectors.known_payment(payment_id)
    if found.behaviour == Behaviour.REFUND_PENDING:
        services.settle_refunds(payment_id, now=clock.now())
        found = selectors.known_payment(payment_id)
    return Answer(200, serializers.payment_body(found))


@endpoint("GET", "identity-verifications/<number>")
def identity_verification(body: Body, number: str) -> Answer:
    return Answer(200, serializers.verification_body(selectors.known_verification(number)))


@endpoint("POST", "payments/<payment_id>/confirm", fast=fast_calls.confirm)
def confirm(body: Body, payment_id: str) -> Answer | Delay:
    found = selectors.known_payment(payment_id)
    if found.behaviour == Behaviour.VANISH and found.token:
        return Answer(504, {}, hold=found.seconds)
    charge = partial(_charge, body, payment_id)
    return Delay(found.seconds, charge) if found.behaviour == Behaviour.SLOW else charge()


def _charge(body: Body, payment_id: str) -> Answer:
    paid = services.confirm(
        payment_id=payment_id,
        token=text(body, "paymentToken") or "",
        expected=services.Expected(
            amount=whole_number(body, "totalAmount"),
            currency=text(body, "currency"),
            transaction_id=text(body, "txId"),
            is_test=flag(body, "isTest"),
        ),
        notify=not flag(body, "skipWebhook"),
        now=clock.now(),
    )
    return Answer(200, serializers.charge_body(paid), hold=_hold(paid, Behaviour.TIME_OUT))


def _hold(payment: Payment, behaviour: Behaviour) -> float:
    return payment.seconds if payment.behaviour == behaviour else 0


@endpoint("POST", "payments/<payment_id>/capture")
def capture(body: Body, payment_id: str) -> Answer:
    services.capture(payment_id=payment_id)
    return Answer(200, {})


@endpoint("POST", "payments/<payment_id>/cancel")
def cancel(body: Body, payment_id: str) -> Answer:
    reason = text(body, "reason")
    if not reason:
        raise InvalidRequest("A cancellation needs a reason.")
    cancellation = services.cancel(
        payment_id=payment_id,
        reason=reason,
        amount=whole_number(body, "amount"),
        expected_left=whole_number(body, "currentCancellableAmount"),
        notify=not flag(body, "skipWebhook"),
        now=clock.now(),
    )
    answer = {"cancellation": serializers.cancellation_body(cancellation)}
    return Answer(200, answer, hold=_hold(cancellation.payment, Behaviour.REFUND_TIME_OUT))


@endpoint("POST", "payments/<payment_id>/resend-webhook")
def resend_webhook(body: Body, payment_id: str) -> Answer:
    webhook = services.resend(payment_id=payment_id, webhook_id=text(body, "webhookId"))
    return Answer(200, {"webhook": serializers.webhook_body(webhook) | {"trigger": "MANUAL"}})


@endpoint("GET", "payments")
def payments(body: Body) -> Answer:
    """One page of the list."""
    found, page = _between(part(body, "filter")), part(body, "page")
    number, size = whole_number(page, "number") or 0, _size(page)
    items = [serializers.payment_body(one) for one in found[number * size : (number + 1) * size]]
    info = {"number": number, "size": size, "totalCount": found.count()}
    return Answer(200, {"items": items, "page": info})


@endpoint("GET", "payments-by-cursor")
def payments_by_cursor(body: Body) -> Answer:
    """The payments after a cursor."""
    cursor = text(body, "cursor") or "0"
    if not cursor.isdecimal():
        raise InvalidRequest("That is not a cursor of ours.")
    found = _between(body).filter(pk__gt=int(cursor))[: _size(body)]
    items = [{"payment": serializers.payment_body(one), "cursor": str(one.pk)} for one in found]
    return Answer(200, {"items": items})


def _between(wanted: Body) -> Any:
    until = _moment(wanted, "until") or clock.now()
    return selectors.payments_between(
        since=_moment(wanted, "from") or until - DEFAULT_SPAN,
        until=until,
        by_change=text(wanted, "timestampType") == "STATUS_CHANGED_AT",
        states=wanted.get("status") or (),
    )


def _moment(wanted: Body, name: str) -> datetime | None:
    raw = text(wanted, name)
    if raw is None:
        return None
    found = parse_datetime(raw)
    if found is None or found.tzinfo is None:
        raise InvalidRequest(f"{name} is not a moment.")
    return found


def _size(wanted: Body) -> int:
    return max(1, min(LONGEST_PAGE, whole_number(wanted, "size") or 10))

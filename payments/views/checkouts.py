"""The checkout: what is bought, what it costs, by which terms; and one button."""

from datetime import datetime
from typing import Any
from uuid import uuid4

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from payments import orders, policy, selectors, services
from payments.errors import PaymentsPaused
from payments.models import Payment
from payments.orders import Order
from payments.views.people import caller_of
from reservations import services as reservations
from reservations.errors import BadPaymentToken, HoldExpired
from reservations.models import Reservation
from ticketing.core import clock
from ticketing.core.errors import IllegalMove
from ticketing.core.redirects import SeeOther

State = Reservation.State
GET_OR_POST = ["GET", "HEAD", "POST"]


class Agreement(forms.Form):
    """`key` names this wish to pay, so that pressing twice is once; `token` allows it."""

    agreed = forms.BooleanField()
    key = forms.UUIDField()
    token = forms.CharField(max_length=200)


@never_cache
@require_http_methods(GET_OR_POST)
def checkout(request: HttpRequest, code: str) -> HttpResponse:
    fan_id, now = caller_of(request).id, clock.now()
    order = orders.own_order(code=code, fan_id=fan_id)
    state, form = order.reservation.state, Agreement(request.POST)
    sent = request.method == "POST" and state in (State.HELD, State.PAYING)
    if sent and form.is_valid():
        return _start(request, order, form.cleaned_data, now)
    is_over = state not in Reservation.LIVE or order.reservation.is_overdue(now)
    if elsewhere := _where_it_goes_on(order, is_over=is_over):
        return SeeOther(elsewhere)
    if is_over:
        return render(request, "payments/over.html", _beside(order, now), status=410)
    return _page(request, order, now, is_refused=sent)


@never_cache
@require_http_methods(["POST"])
def stop(request: HttpRequest, number: str) -> HttpResponse:
    """Not now: if nothing was charged, the seats are only held again."""
    fan_id = caller_of(request).id
    services.turn_back(number=number, fan_id=fan_id, now=clock.now())
    return SeeOther(resolve_url("payments:result", number))


def pay_form(reservation: Reservation, payment: Payment | None, now: datetime) -> dict[str, Any]:
    """What a button needs that goes on with this payment, or begins another."""
    whose: Any = {"code": reservation.code, "fan_id": reservation.fan_id}
    return {
        "key": str(payment.payment_key if payment else uuid4()),
        "token": reservations.payment_token(**whose, now=now),
    }


def _start(request: HttpRequest, order: Order, wish: dict[str, Any], now: datetime) -> HttpResponse:
    code, fan_id = order.reservation.code, order.reservation.fan_id
    who: Any = {"code": code, "fan_id": fan_id, "language": get_language() or "", "now": now}
    try:
        payment = services.start(**who, token=wish["token"], payment_key=wish["key"])
    except PaymentsPaused as pause:
        messages.error(request, f"{pause} {pause.advice}")
        return SeeOther(resolve_url("payments:checkout", code))
    except BadPaymentToken:
        messages.warning(request, _("This page was open for long. Look once more, then pay."))
        return SeeOther(resolve_url("payments:checkout", code))
    except (HoldExpired, IllegalMove):
        return SeeOther(resolve_url("payments:checkout", code))
    is_ready = payment.state == Payment.State.PREPARED
    return SeeOther(resolve_url(f"payments:{'window' if is_ready else 'result'}", payment.number))


def _where_it_goes_on(order: Order, *, is_over: bool) -> str | None:
    """Whoever comes back to what is being paid, is bought, or was tried in vain, is led on."""
    if order.reservation.state == State.PAYING and order.open_payment:
        return resolve_url("payments:result", order.open_payment.number)
    if order.reservation.state in (State.CONFIRMED, State.REFUNDED):
        return resolve_url("payments:order", order.reservation.code)
    if is_over and order.payments:
        return resolve_url("payments:result", order.payments[0].number)
    return None


def _page(
    request: HttpRequest, order: Order, now: datetime, *, is_refused: bool = False
) -> HttpResponse:
    event = order.reservation.event
    rules = selectors.policy_of(event.pk)
    context = _beside(order, now) | {
        "form": pay_form(order.reservation, None, now),
        "steps": policy.steps(policy=rules, event=event, ordered_at=now, now=now),
        "is_refused": is_refused,
    }
    return render(request, "payments/checkout.html", context, status=400 if is_refused else 200)


def _beside(order: Order, now: datetime) -> dict[str, Any]:
    event = order.reservation.event
    return {
        "order": order,
        "it": order.reservation,
        "event": event,
        "venue": event.plan.venue,
        "now": now,
    }

"""The checkout page: seats, price, cancellation terms, and one button."""

import re
from contextlib import suppress
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

from payments import selectors, services
from payments.models import Payment
from payments.selectors import Order
from payments.views.caller import caller_of
from reservations import services as reservations
from reservations.errors import BadPaymentToken, HoldExpired
from reservations.models import Reservation
from ticketing.accounts.errors import ConsentMissing
from ticketing.accounts.selectors import missing_documents
from ticketing.core import clock
from ticketing.core.errors import IllegalMove
from ticketing.core.redirects import SeeOther

State = Reservation.State
ID = re.compile(r"[0-9]{1,18}")
GET_OR_POST = ["GET", "HEAD", "POST"]


class PayForm(forms.Form):
    """`key` makes a repeated submit harmless; `token` allows this fan to pay.

    `terms` identifies the cancellation terms that were on the page, if they were.
    """

    agreed = forms.BooleanField()
    terms = forms.CharField(required=False)
    consents = forms.Field(required=False, widget=forms.MultipleHiddenInput)
    key = forms.UUIDField()
    token = forms.CharField(max_length=200)

    def clean_consents(self) -> list[int]:
        """Ids of documents; what is missing is decided with the payment."""
        return [int(each) for each in self.cleaned_data["consents"] or () if ID.fullmatch(each)]


@never_cache
@require_http_methods(GET_OR_POST)
def checkout(request: HttpRequest, code: str) -> HttpResponse:
    fan_id, now = caller_of(request).id, clock.now()
    order = selectors.own_order(code=code, fan_id=fan_id)
    event = order.reservation.event
    policy, have_terms_changed = selectors.policy_of(event.pk), False
    state, form = order.reservation.state, PayForm(request.POST)
    is_submitted = request.method == "POST" and state in (State.HELD, State.PAYING)
    if is_submitted and form.is_valid():
        have_terms_changed = form.cleaned_data["terms"] not in ("", policy.digest)
        if not have_terms_changed:
            with suppress(ConsentMissing):  # the page shows again what has to be agreed to
                return _begin(request, order, form.cleaned_data, now)
    is_over = state not in Reservation.LIVE or order.reservation.is_overdue(now)
    if url := _next_url(order, is_over=is_over):
        return SeeOther(url)
    if is_over:
        return render(request, "payments/over.html", order_context(order, now), status=410)
    context = order_context(order, now) | {
        "form": pay_form(order.reservation, None, now) | {"terms": policy.digest},
        "fee_periods": selectors.fee_periods(policy=policy, event=event, ordered_at=now, now=now),
        "documents": missing_documents(user_id=fan_id, order=order.reservation.code, now=now),
        "is_refused": is_submitted,
        "have_terms_changed": have_terms_changed,
    }
    return render(request, "payments/checkout.html", context, status=400 if is_submitted else 200)


@never_cache
@require_http_methods(["POST"])
def abort(request: HttpRequest, number: str) -> HttpResponse:
    """Stop paying: the way back asks the gateway, and if nothing was charged, ends the payment."""
    selectors.own_payment(number=number, fan_id=caller_of(request).id)
    return SeeOther(f"{resolve_url('payments:returned', number)}?code=stopped")


def pay_form(reservation: Reservation, payment: Payment | None, now: datetime) -> dict[str, Any]:
    """Hidden fields of a pay button that continues this payment, or begins another."""
    return {
        "key": str(payment.payment_key if payment else uuid4()),
        "token": reservations.payment_token(
            code=reservation.code, fan_id=reservation.fan_id, now=now
        ),
    }


def order_context(order: Order, now: datetime) -> dict[str, Any]:
    """What every page about an order shows."""
    event = order.reservation.event
    return {
        "order": order,
        "reservation": order.reservation,
        "payment": order.payment,
        "event": event,
        "venue": event.plan.venue,
        "now": now,
    }


def _begin(request: HttpRequest, order: Order, form: dict[str, Any], now: datetime) -> HttpResponse:
    code = order.reservation.code
    try:
        payment = services.start_payment(
            code=code,
            fan_id=order.reservation.fan_id,
            token=form["token"],
            payment_key=form["key"],
            language=get_language() or "",
            consents=form["consents"],
            now=now,
        )
    except BadPaymentToken:
        messages.warning(
            request, _("This page was open for a long time. Please check again, then pay.")
        )
        return SeeOther(resolve_url("payments:checkout", code))
    except (HoldExpired, IllegalMove):
        return SeeOther(resolve_url("payments:checkout", code))
    can_be_paid = payment.state in (Payment.State.PENDING, Payment.State.PREPARED)
    page = "window" if can_be_paid else "result"
    return SeeOther(resolve_url(f"payments:{page}", payment.number))


def _next_url(order: Order, *, is_over: bool) -> str | None:
    """Where to go on if the order is being paid, is bought, or a payment of it failed."""
    if order.reservation.state == State.PAYING and order.open_payment:
        return resolve_url("payments:result", order.open_payment.number)
    if order.reservation.state in (State.CONFIRMED, State.REFUNDED):
        return resolve_url("payments:order", order.reservation.code)
    if is_over and order.payments:
        return resolve_url("payments:result", order.payments[0].number)
    return None

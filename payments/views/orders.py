"""My orders: all of them, one of them, its receipt, and giving it back."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from payments import errors, policy, selectors, services
from payments import orders as store
from payments.orders import Order
from payments.views.checkouts import GET_OR_POST
from payments.views.people import caller_of
from reservations.errors import NoReservation
from reservations.selectors import tickets_of_order
from ticketing.core import clock
from ticketing.core.redirects import SeeOther
from ticketing.events.models import Event

ORDERS_A_PAGE = 10


class Consent(forms.Form):
    """The fee that was read before the button was pressed."""

    fee = forms.IntegerField(min_value=0)


@never_cache
@require_safe
def orders(request: HttpRequest) -> HttpResponse:
    mine = store.own_orders(fan_id=caller_of(request).id)
    page = Paginator(mine, ORDERS_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "orders": store.as_orders(page)}
    return render(request, "payments/orders.html", context)


@never_cache
@require_safe
def order(request: HttpRequest, code: str) -> HttpResponse:
    found, now = _own(request, code), clock.now()
    steps = _steps(found, now)
    context = _context(found, now) | {
        "tickets": tickets_of_order(code=found.reservation.code, fan_id=found.reservation.fan_id),
        "steps": steps,
        "may_cancel": bool(steps) and found.reservation.event.state != Event.State.CANCELLED,
    }
    return render(request, "payments/order.html", context)


@never_cache
@require_safe
def receipt(request: HttpRequest, code: str) -> HttpResponse:
    """For printing; of what was bought and never paid there is none."""
    found = _own(request, code)
    if found.payment is None:
        return SeeOther(resolve_url("payments:order", found.reservation.code))
    return render(request, "payments/receipt.html", _context(found, clock.now()))


@never_cache
@require_http_methods(GET_OR_POST)
def cancel(request: HttpRequest, code: str) -> HttpResponse:
    """The fee first; then, with that very fee, the money goes back and so do the seats."""
    found, now = _own(request, code), clock.now()
    back = resolve_url("payments:order", found.reservation.code)
    if found.payment is None:
        return SeeOther(back)
    whose: Any = {"number": found.payment.number, "fan_id": found.reservation.fan_id, "now": now}
    try:
        if request.method == "POST":
            services.cancel_by_fan(**whose, fee=_fee(request))
            return SeeOther(back)
        if found.word in ("refunding", "refunded"):
            return SeeOther(back)
        terms = services.cancel_terms(**whose)
    except errors.FeeChanged as refusal:
        messages.warning(request, f"{refusal} {refusal.advice}")
        return SeeOther(resolve_url("payments:cancel", found.reservation.code))
    except (errors.NotRefundable, errors.TooLateToCancel) as refusal:
        messages.error(request, str(refusal))
        return SeeOther(back)
    return render(request, "payments/cancel.html", _context(found, now) | {"terms": terms})


def _fee(request: HttpRequest) -> int:
    """What can't be read is no fee that anybody agreed to."""
    form = Consent(request.POST)
    return int(form.cleaned_data["fee"]) if form.is_valid() else -1


def _own(request: HttpRequest, code: str) -> Order:
    found = store.own_order(code=code, fan_id=caller_of(request).id)
    if found.word == "none":
        raise NoReservation()
    return found


def _steps(order: Order, now: datetime) -> list[policy.Step]:
    """What giving back costs until when, if it can be given back at all."""
    payment, event = order.payment, order.reservation.event
    if payment is None or payment.state not in selectors.PAID or order.word != "paid":
        return []
    return policy.steps(
        policy=selectors.policy_of(event.pk),
        event=event,
        ordered_at=payment.settled_at or payment.created_at,
        now=now,
    )


def _context(order: Order, now: datetime) -> dict[str, Any]:
    event = order.reservation.event
    return {
        "order": order,
        "it": order.reservation,
        "payment": order.payment,
        "event": event,
        "venue": event.plan.venue,
        "now": now,
    }

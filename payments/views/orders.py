"""A fan's orders: the list, one order, its receipt, and its cancellation."""

from datetime import datetime

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from payments import errors, selectors, services
from payments.selectors import FeePeriod, Order
from payments.views.caller import caller_of
from payments.views.checkout import GET_OR_POST, order_context
from reservations.errors import NoReservation
from reservations.selectors import tickets_of_order
from ticketing.core import clock
from ticketing.core.redirects import SeeOther
from ticketing.events.models import Event

ORDERS_A_PAGE = 10


class CancelForm(forms.Form):
    """The fee that the fan saw before pressing the button."""

    fee = forms.IntegerField(min_value=0)


@never_cache
@require_safe
def orders(request: HttpRequest) -> HttpResponse:
    own = selectors.own_orders(fan_id=caller_of(request).id)
    page = Paginator(own, ORDERS_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "orders": selectors.as_orders(page)}
    return render(request, "payments/orders.html", context)


@never_cache
@require_safe
def order(request: HttpRequest, code: str) -> HttpResponse:
    found, now = _own_order(request, code), clock.now()
    periods = _fee_periods(found, now)
    context = order_context(found, now) | {
        "tickets": tickets_of_order(code=found.reservation.code, fan_id=found.reservation.fan_id),
        "fee_periods": periods,
        "may_cancel": bool(periods) and found.reservation.event.state != Event.State.CANCELLED,
    }
    return render(request, "payments/order.html", context)


@never_cache
@require_safe
def receipt(request: HttpRequest, code: str) -> HttpResponse:
    """A page for printing; an order that was never paid has none."""
    found = _own_order(request, code)
    if found.payment is None:
        return SeeOther(resolve_url("payments:order", found.reservation.code))
    return render(request, "payments/receipt.html", order_context(found, clock.now()))


@never_cache
@require_http_methods(GET_OR_POST)
def cancel(request: HttpRequest, code: str) -> HttpResponse:
    """Show the fee; once the fan agrees to that fee, refund and release the seats."""
    found, now = _own_order(request, code), clock.now()
    order_url = resolve_url("payments:order", found.reservation.code)
    if found.payment is None:
        return SeeOther(order_url)
    number, fan_id = found.payment.number, found.reservation.fan_id
    try:
        if request.method == "POST":
            services.start_cancellation(
                number=number, fan_id=fan_id, fee=_agreed_fee(request), now=now
            )
            return SeeOther(order_url)
        if found.status in ("refunding", "refunded"):
            return SeeOther(order_url)
        terms = services.cancellation_terms(number=number, fan_id=fan_id, now=now)
    except errors.FeeChanged as refusal:
        messages.warning(request, f"{refusal} {refusal.advice}")
        return SeeOther(resolve_url("payments:cancel", found.reservation.code))
    except (errors.NotRefundable, errors.TooLateToCancel) as refusal:
        messages.error(request, str(refusal))
        return SeeOther(order_url)
    return render(request, "payments/cancel.html", order_context(found, now) | {"terms": terms})


def _agreed_fee(request: HttpRequest) -> int:
    """The submitted fee; -1, which no order costs, if it can't be read."""
    form = CancelForm(request.POST)
    return int(form.cleaned_data["fee"]) if form.is_valid() else -1


def _own_order(request: HttpRequest, code: str) -> Order:
    found = selectors.own_order(code=code, fan_id=caller_of(request).id)
    if found.status == "none":
        raise NoReservation()
    return found


def _fee_periods(order: Order, now: datetime) -> list[FeePeriod]:
    """The cancellation fees by date; empty if the order can't be cancelled."""
    payment, event = order.payment, order.reservation.event
    if payment is None or payment.state not in selectors.PAID or order.status != "paid":
        return []
    return selectors.fee_periods(
        policy=selectors.policy_of(event.pk),
        event=event,
        ordered_at=payment.settled_at or payment.created_at,
        now=now,
    )

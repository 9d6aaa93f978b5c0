"""A fan's orders: the list, one order, its receipt, and its cancellation."""

from datetime import datetime
from typing import Any

from django import forms
from django.contrib import messages
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.http import urlencode
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods, require_safe

from payments import errors, selectors, services
from payments.selectors import FeePeriod, Order
from payments.views.caller import caller_of
from payments.views.checkout import GET_OR_POST, order_context
from reservations.errors import NoReservation, TicketNotValid, TicketTransferred, TicketUsed
from reservations.selectors import listed_tickets
from ticketing.core import clock
from ticketing.core.redirects import SeeOther
from ticketing.events.models import Event

ORDERS_A_PAGE = 10
CANNOT_CANCEL = (
    *(errors.NotRefundable, errors.TooLateToCancel),
    *(TicketUsed, TicketTransferred, TicketNotValid),
)


class CancelForm(forms.Form):
    """The fee that the fan saw before pressing the button, which says that seats were chosen."""

    fee = forms.IntegerField(min_value=0)
    choose = forms.CharField(required=False)
    seats = forms.TypedMultipleChoiceField(coerce=int, required=False)

    def __init__(self, data: Any, order: Order) -> None:
        super().__init__(data)
        ids = [seat["id"] for seat in (*order.seats, *order.cancelled)]
        self.fields["seats"].choices = [(pk, pk) for pk in ids]  # type: ignore[attr-defined]

    def chosen(self) -> list[int] | None:
        """The seats, None for all that can be cancelled; what nobody could choose is left out."""
        self.is_valid()
        seats = sorted(self.cleaned_data.get("seats") or ())
        return seats if seats or self.cleaned_data.get("choose") else None

    def agreed_fee(self) -> int:
        """-1, which no order costs, if it can't be read."""
        return int(self.cleaned_data["fee"]) if self.is_valid() else -1


@never_cache
@require_safe
def orders(request: HttpRequest) -> HttpResponse:
    own = selectors.own_order_ids(fan_id=caller_of(request).id)
    page = Paginator(own, ORDERS_A_PAGE).get_page(request.GET.get("page"))
    context = {"page": page, "orders": selectors.orders_by_id(page)}
    return render(request, "payments/orders.html", context)


@never_cache
@require_safe
def order(request: HttpRequest, code: str) -> HttpResponse:
    found, now = _own_order(request, code), clock.now()
    periods = _fee_periods(found, now)
    tickets = listed_tickets(found.reservation)
    unused = [ticket for ticket in tickets if ticket.state != ticket.State.USED]
    is_open = bool(periods) and found.reservation.event.state != Event.State.CANCELLED
    context = order_context(found, now) | {
        "tickets": tickets,
        "unused": unused,
        "fee_periods": periods,
        "may_cancel": is_open and bool(unused or not tickets),
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
    """Show the fee of the chosen seats; once the fan agrees to it, refund and release them."""
    found, now = _own_order(request, code), clock.now()
    order_url = resolve_url("payments:order", found.reservation.code)
    if found.payment is None:
        return SeeOther(order_url)
    form = CancelForm(request.POST or request.GET, found)
    wish: Any = {"number": found.payment.number, "fan_id": found.reservation.fan_id, "now": now}
    wish |= {"seats": form.chosen()}
    try:
        if request.method == "POST" and wish["seats"] == []:
            return SeeOther(f"{resolve_url('payments:cancel', found.reservation.code)}?choose=1")
        if request.method == "POST":
            services.start_cancellation(**wish, fee=form.agreed_fee())
            return SeeOther(order_url)
        if found.status in ("refunding", "refunded"):
            return SeeOther(order_url)
        chosen = wish["seats"]
        terms = services.terms_of_order(found.payment, found.seats, now=now, chosen=chosen)
    except errors.FeeChanged as refusal:
        messages.warning(request, f"{refusal} {refusal.advice}")
        query = urlencode({"seats": wish["seats"] or ()}, doseq=True)
        return SeeOther(f"{resolve_url('payments:cancel', found.reservation.code)}?{query}")
    except CANNOT_CANCEL as refusal:
        messages.error(request, " ".join(filter(None, [str(refusal), str(refusal.advice)])))
        return SeeOther(order_url)
    return render(request, "payments/cancel.html", order_context(found, now) | {"terms": terms})


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
        policy=selectors.policy_of_payment(payment),
        event=event,
        ordered_at=payment.settled_at or payment.created_at,
        now=now,
    )

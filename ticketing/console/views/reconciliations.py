"""Differences between our books, the gateway and the seats, with links and buttons to mend them."""

from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.timezone import localdate
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from payments import services as payments
from payments.models import Payment
from reservations.models import Reservation
from ticketing.console import services, tasks
from ticketing.console.models import Reconciliation
from ticketing.console.views.access import check_permission, render_page, requires_permission
from ticketing.core import clock
from ticketing.core.admin.pages import operator, require_post
from ticketing.core.errors import NotFound

VIEW, SETTLE = "console.view_reconciliation", "payments.change_payment"
LISTED = 60


class DayForm(forms.Form):
    day = forms.DateField(
        label=gettext_lazy("Day"),
        widget=forms.DateInput(attrs={"type": "date"}, format="%Y-%m-%d"),
    )

    def clean_day(self) -> date:
        day: date = self.cleaned_data["day"]
        if day > localdate(clock.now()):
            raise forms.ValidationError(_("This day has not begun yet."))
        return day


@dataclass(frozen=True)
class Row:
    """A difference beside what is there now."""

    difference: payments.Difference
    payment: Payment | None
    order: Reservation | None

    @property
    def seats(self) -> list[Any]:
        return [it.seat for it in self.order.seats.all()] if self.order else []


@requires_permission(VIEW)
def reconciliations(request: HttpRequest) -> HttpResponse:
    """The days that were compared; a form compares one now."""
    now = clock.now()
    form = DayForm(
        request.POST if request.method == "POST" else None,
        initial={"day": localdate(now) - timedelta(days=1)},
    )
    if request.method == "POST":
        check_permission(request, SETTLE)
        if form.is_valid():
            return _compare(request, form.cleaned_data["day"])
    days = list(Reconciliation.objects.select_related("asked_by")[:LISTED])
    for day in days:
        day.runs = day.is_running(now)  # type: ignore[attr-defined]
    return render_page(request, "reconciliations", _("Reconciliations"), days=days, form=form)


@requires_permission(VIEW)
def reconciliation(request: HttpRequest, day: str) -> HttpResponse:
    """The differences of a day; while a worker compares them, how far it is."""
    found, now = _of_day(day), clock.now()
    context = {
        "found": found,
        "runs": found.is_running(now),
        "rows": _rows(found),
        "may_settle": operator(request).has_perm(SETTLE),
        "form": DayForm(initial={"day": found.day}),
    }
    title = _("Reconciliation of %(day)s") % {"day": found.day.isoformat()}
    return render_page(request, "reconciliation", title, **context)


@requires_permission(SETTLE)
def mend(request: HttpRequest, day: str, number: str) -> HttpResponse:
    """What `payments_reconcile --mend` does, for one payment."""
    require_post(request)
    found = _of_day(day)
    if number not in {it.difference.number for it in _rows(found) if it.payment}:
        raise NotFound()
    if payments.mend_payment(number=number, by=operator(request), now=clock.now()):
        text = _("%(number)s is being settled again. Compare the day again in a moment.")
    else:
        text = _("%(number)s is being settled already.")
    messages.success(request, text % {"number": number})
    return redirect("console:reconciliation", found.day.isoformat())


def _compare(request: HttpRequest, day: date) -> HttpResponse:
    if services.request_reconciliation(day=day, by=operator(request), now=clock.now()):
        tasks.reconcile_day.delay(day.isoformat())
    return redirect("console:reconciliation", day.isoformat())


def _of_day(text: str) -> Reconciliation:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        raise NotFound() from None
    found = Reconciliation.objects.select_related("asked_by").filter(day=day).first()
    if found is None:
        raise NotFound()
    return found


def _rows(found: Reconciliation) -> list[Row]:
    differences = [payments.Difference(*each) for each in found.differences]
    names = {it.number for it in differences}
    paid = Payment.objects.filter(number__in=names).select_related("reservation__event")
    by_number = {
        it.number: it for it in paid.prefetch_related("reservation__seats__seat__place__section")
    }
    codes = names | {str(it.facts.get("order", "")) for it in differences}
    orders = Reservation.objects.filter(code__in=codes).select_related("event")
    by_code = {it.code: it for it in orders.prefetch_related("seats__seat__place__section")}
    rows = []
    for it in differences:
        payment = by_number.get(it.number)
        order = payment.reservation if payment else by_code.get(it.number)
        rows.append(Row(it, payment, order))
    return rows

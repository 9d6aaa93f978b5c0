"""The standby list: a page to join, see one's place, ask for fewer seats, and leave."""

from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.translation import get_language
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reservations import errors, selectors, services
from reservations.models import StandbyEntry
from reservations.selectors import standby as lists
from reservations.views.holds import A_NUMBER, MOST, SHOWN_AS_MESSAGE, caller_of
from reservations.views.labels import refusal_text
from ticketing.accounts.selectors import caller_in
from ticketing.core import clock
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.core.redirects import SeeOther
from ticketing.events.models import Event
from ticketing.events.selectors import seats_free, visible_event

SHOWN_HERE = (*SHOWN_AS_MESSAGE, errors.NotSoldOut, errors.StandbyClosed, errors.OnlyFewerSeats)
# Without scripts the page reloads by itself.
RELOAD_SECONDS = 15


class JoinForm(forms.Form):
    quantity = forms.IntegerField(min_value=1, max_value=MOST)
    grade = forms.CharField(max_length=8, required=False)


@never_cache
@require_safe
def standby(request: HttpRequest, pk: int) -> HttpResponse:
    caller, now = caller_in(request.session), clock.now()
    event = visible_event(pk, caller)
    found = lists.own_place(event_id=pk, fan_id=caller.id, now=now) if caller else None
    context = _context(event, found) | {"caller": caller, "now": now}
    if caller:
        own = selectors.own_seats(event_id=pk, fan_id=caller.id, now=now)
        left = max(event.seats_per_person - len(own), 0)
        context |= {"quantities": range(1, left + 1), "limit": event.seats_per_person}
    return render(request, "reservations/standby.html", context)


@never_cache
def join_standby(request: HttpRequest, pk: int) -> HttpResponse:
    """Join, or ask for fewer seats and keep the place."""
    page = _page(pk)
    if request.method != "POST":
        return SeeOther(page)
    form = JoinForm(request.POST)
    if not form.is_valid():
        raise InvalidInput(fields=form.errors.get_json_data())
    who: Any = {"event_id": pk, "fan_id": caller_of(request).id, "now": clock.now()}
    try:
        services.join_standby(**form.cleaned_data, **who, language=get_language() or "")
    except SHOWN_HERE as refusal:
        messages.error(request, refusal_text(refusal))
    return SeeOther(page)


@never_cache
def leave_standby(request: HttpRequest, pk: int) -> HttpResponse:
    """Leave the list; a repeat changes nothing."""
    page = _page(pk)
    if request.method == "POST":
        services.leave_standby(event_id=pk, fan_id=caller_of(request).id, now=clock.now())
        messages.success(request, _("You have left the standby list."))
    return SeeOther(page)


def _page(pk: int) -> str:
    if not A_NUMBER.fullmatch(str(pk)):
        raise NotFound()
    return resolve_url("reservations:standby", pk)


def _context(event: Event, found: lists.StandbyPlace | None) -> dict[str, Any]:
    runs = event.returns == Event.Returns.STANDBY and event.state in lists.RUNNING
    opened = event.state == Event.State.SOLD_OUT or lists.standby_list(event.pk) is not None
    offer = found.entry.reservation if found and found.state == "offered" else None
    is_live = found is not None and found.state in StandbyEntry.LIVE
    return {
        "event": event,
        "venue": event.plan.venue,
        "own_place": found,
        "is_live": is_live,
        "removal": lists.removal_of(found.entry) if found and found.state == "left" else None,
        "may_join": runs and opened and not is_live,
        "runs": runs,
        "free": seats_free(event.pk) if event.state == Event.State.ON_SALE else 0,
        "hold": selectors.reservation_with_seats(offer.pk) if offer else None,
        "fewer": range(1, found.entry.quantity) if found else (),
        "grades": list(event.grades.all()),
        "offer_minutes": event.offer_seconds // 60,
        "reload_seconds": RELOAD_SECONDS if is_live else None,
    }

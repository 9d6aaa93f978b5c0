"""The forms that hold seats: these, the best, or places to stand."""

import re
from collections.abc import Callable
from typing import Any

from django import forms
from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from reservations import errors, services
from reservations.models import Reservation
from reservations.selectors import Hold
from reservations.words import in_words
from ticketing.accounts.selectors import Caller, caller_in
from ticketing.core import clock
from ticketing.core.errors import DomainError, InvalidInput, NotFound, NotLoggedIn
from ticketing.core.redirects import SeeOther
from waiting_queue import errors as queue

MOST = 100
A_NUMBER = re.compile(r"[0-9]{1,18}")
# What the page where one chooses says by itself.
SEEN_ON_THE_PAGE = (queue.NotAdmitted, queue.QueueNotOpen, queue.QueueUnavailable)
SAID_ON_THE_PAGE = (
    errors.SeatsTaken,
    errors.SeatsBusy,
    errors.SoldOut,
    errors.NotOnSale,
    errors.TooManySeats,
    errors.NotTogether,
    errors.NotEnoughPlaces,
    errors.LeavesOrphan,
    errors.CompanionAlone,
)


class BestForm(forms.Form):
    grade = forms.CharField(max_length=8)
    quantity = forms.IntegerField(min_value=1, max_value=MOST)
    accessible = forms.BooleanField(required=False)


class PlacesForm(forms.Form):
    section = forms.CharField(max_length=16)
    grade = forms.CharField(max_length=8, required=False)
    quantity = forms.IntegerField(min_value=1, max_value=MOST)


class SeatsForm(forms.Form):
    """Boxes of a list, each with a seat's number."""

    seat = forms.TypedMultipleChoiceField(coerce=int, required=False)
    section = forms.RegexField(r"^[^/]+$", max_length=16, required=False)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        chosen = [one for one in data.getlist("seat")[:MOST] if A_NUMBER.fullmatch(one)]
        self.fields["seat"].choices = [(one, one) for one in chosen]  # type: ignore[attr-defined]


def a_form(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """Who comes by a link, after logging in, is shown where one chooses."""

    def wrapped(request: HttpRequest, pk: int, **more: str) -> HttpResponse:
        if not A_NUMBER.fullmatch(str(pk)):
            raise NotFound()
        if request.method != "POST":
            return SeeOther(resolve_url("reservations:seats", pk))
        return view(request, pk, **more)

    return never_cache(require_http_methods(["GET", "HEAD", "POST"])(wrapped))


@a_form
def hold_best(request: HttpRequest, pk: int) -> HttpResponse:
    wish = _valid(BestForm(request.POST))
    return _hold(request, pk, services.hold_best, wish, back=resolve_url("reservations:seats", pk))


@a_form
def hold_places(request: HttpRequest, pk: int) -> HttpResponse:
    wish = _valid(PlacesForm(request.POST))
    return _hold(
        request, pk, services.hold_places, wish, back=resolve_url("reservations:seats", pk)
    )


@a_form
def hold_seats(request: HttpRequest, pk: int) -> HttpResponse:
    wish = _valid(SeatsForm(request.POST))
    section = wish["section"]
    back = resolve_url("reservations:section", pk, section) if section else ""
    back = back or resolve_url("reservations:seats", pk)
    if not wish["seat"]:
        messages.warning(request, _("Choose at least one seat."))
        return SeeOther(back)
    return _hold(request, pk, services.hold_seats, {"seat_ids": wish["seat"]}, back=back)


def caller_of(request: HttpRequest) -> Caller:
    caller = caller_in(request.session)
    if caller is None:
        raise NotLoggedIn()
    return caller


def _valid(form: forms.Form) -> dict[str, Any]:
    if not form.is_valid():
        raise InvalidInput(fields=form.errors.get_json_data())
    return form.cleaned_data


def _hold(
    request: HttpRequest, pk: int, service: Callable[..., Hold], wish: dict[str, Any], *, back: str
) -> HttpResponse:
    who: Any = {"event_id": pk, "fan_id": caller_of(request).id, "now": clock.now()}
    key = request.POST.get("key", "")[:64]
    try:
        held = service(**wish, **who, key=key)
        if held.reservation.state not in Reservation.LIVE:  # the same page again, after giving back
            service(**wish, **who)
    except SEEN_ON_THE_PAGE:
        return SeeOther(back)
    except SAID_ON_THE_PAGE as refusal:
        messages.error(request, in_words(refusal))
        return SeeOther(back + _kept(wish, refusal))
    return SeeOther(resolve_url("reservations:basket", pk))


def _kept(wish: dict[str, Any], refusal: DomainError) -> str:
    """The seats that can still be had stay ticked."""
    gone = refusal.details.get("seats", []) if isinstance(refusal, errors.SeatsTaken) else []
    rest = [str(seat) for seat in wish.get("seat_ids", []) if seat not in gone]
    return f"?keep={','.join(rest)}" if rest else ""

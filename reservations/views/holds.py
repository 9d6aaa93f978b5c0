"""The view that holds seats, for its three forms: named seats, the best, standing places."""

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
from reservations.services import SeatChoice
from reservations.views.labels import refusal_text
from ticketing.accounts.selectors import Caller, caller_in
from ticketing.core import clock
from ticketing.core.browsers import browser_of
from ticketing.core.errors import DomainError, InvalidInput, NotFound, NotLoggedIn
from ticketing.core.redirects import SeeOther
from waiting_queue import errors as queue
from waiting_queue.services import PassProof

MOST = 100
A_NUMBER = re.compile(r"[0-9]{1,18}")
# The seat page shows these by itself.
SHOWN_BY_PAGE = (
    *(queue.NotAdmitted, queue.PassElsewhere),
    *(queue.QueueNotOpen, queue.QueueUnavailable),
)
# These become a message on the page the form came from.
SHOWN_AS_MESSAGE = (
    errors.SeatsTaken,
    errors.SeatsBusy,
    errors.SoldOut,
    errors.NotOnSale,
    errors.TooManySeats,
    errors.NotTogether,
    errors.NotEnoughPlaces,
    errors.LeavesOrphan,
    errors.CompanionAlone,
    queue.CoolingDown,
)


class HoldForm(forms.Form):
    def choice(self) -> SeatChoice | None:
        """What the form asks for; None if nothing was chosen."""
        raise NotImplementedError

    def page(self, event_id: int) -> str:
        """The page that the form is on."""
        return resolve_url("reservations:seats", event_id)


class BestForm(HoldForm):
    grade = forms.CharField(max_length=8)
    quantity = forms.IntegerField(min_value=1, max_value=MOST)
    accessible = forms.BooleanField(required=False)

    def choice(self) -> SeatChoice:
        return SeatChoice.best(**self.cleaned_data)


class PlacesForm(HoldForm):
    section = forms.CharField(max_length=16)
    grade = forms.CharField(max_length=8, required=False)
    quantity = forms.IntegerField(min_value=1, max_value=MOST)

    def choice(self) -> SeatChoice:
        return SeatChoice.standing(**self.cleaned_data)


class SeatsForm(HoldForm):
    """Checkboxes of a list, each with a seat's id."""

    seat = forms.TypedMultipleChoiceField(coerce=int, required=False)
    section = forms.RegexField(r"^[^/]+$", max_length=16, required=False)

    def __init__(self, data: Any) -> None:
        super().__init__(data)
        chosen = [one for one in data.getlist("seat")[:MOST] if A_NUMBER.fullmatch(one)]
        self.fields["seat"].choices = [(one, one) for one in chosen]  # type: ignore[attr-defined]

    def choice(self) -> SeatChoice | None:
        seats = self.cleaned_data["seat"]
        return SeatChoice.named(seats) if seats else None

    def page(self, event_id: int) -> str:
        section = self.cleaned_data["section"]
        if section:
            return resolve_url("reservations:section", event_id, section)
        return super().page(event_id)


def event_form(view: Callable[..., HttpResponse]) -> Callable[..., HttpResponse]:
    """For POST; a GET, as after logging in, is redirected to the seat page."""

    def wrapped(request: HttpRequest, pk: int, **more: Any) -> HttpResponse:
        if not A_NUMBER.fullmatch(str(pk)):
            raise NotFound()
        if request.method != "POST":
            return SeeOther(resolve_url("reservations:seats", pk))
        return view(request, pk, **more)

    return never_cache(require_http_methods(["GET", "HEAD", "POST"])(wrapped))


@event_form
def hold(request: HttpRequest, pk: int, *, form_class: type[HoldForm]) -> HttpResponse:
    """Hold what the form asks for and show the basket, or go back and say why not."""
    form = form_class(request.POST)
    if not form.is_valid():
        raise InvalidInput(fields=form.errors.get_json_data())
    choice, back = form.choice(), form.page(pk)
    if choice is None:
        messages.warning(request, _("Choose at least one seat."))
        return SeeOther(back)
    browser = browser_of(request.headers)
    order: Any = {"event_id": pk, "choice": choice, "now": clock.now()}
    address = request.META.get("REMOTE_ADDR") or ""
    order |= {"fan_id": caller_of(request).id, "proof": PassProof(browser, address=address)}
    try:
        held = services.hold_seats(**order, key=request.POST.get("key", "")[:64])
        if held.reservation.state not in Reservation.LIVE:  # sent again after giving seats back
            services.hold_seats(**order)
    except SHOWN_BY_PAGE:
        return SeeOther(back)
    except SHOWN_AS_MESSAGE as refusal:
        messages.error(request, refusal_text(refusal))
        return SeeOther(back + _kept_query(choice, refusal))
    return browser.remember(SeeOther(resolve_url("reservations:basket", pk)))


@event_form
def take_over(request: HttpRequest, pk: int) -> HttpResponse:
    """Go on in this browser; the seat page shows whatever came of it."""
    fan, browser = caller_of(request), browser_of(request.headers)
    back = SeeOther(resolve_url("reservations:seats", pk))
    try:
        services.take_over(event_id=pk, fan_id=fan.id, browser=browser.mark, now=clock.now())
    except SHOWN_BY_PAGE:
        return back
    return browser.remember(back)


def caller_of(request: HttpRequest) -> Caller:
    caller = caller_in(request.session)
    if caller is None:
        raise NotLoggedIn()
    return caller


def _kept_query(choice: SeatChoice, refusal: DomainError) -> str:
    """Keeps the seats that can still be had ticked."""
    taken = refusal.details.get("seats", []) if isinstance(refusal, errors.SeatsTaken) else []
    kept = [str(seat) for seat in choice.seats if seat not in taken]
    return f"?keep={','.join(kept)}" if kept else ""

"""The basket: what is held, and until when."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.utils.translation import gettext as _
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reservations import selectors, services
from reservations.models import Reservation
from reservations.views.holds import caller_of, event_form
from reservations.views.page_state import page_state
from ticketing.core import clock
from ticketing.core.browsers import browser_of
from ticketing.core.redirects import SeeOther
from ticketing.events.selectors import free_seats_up_to, visible_event

State = Reservation.State


@never_cache
@require_safe
def basket(request: HttpRequest, pk: int) -> HttpResponse:
    caller, now = caller_of(request), clock.now()
    event = visible_event(pk, caller)
    holds = selectors.live_holds(event_id=pk, fan_id=caller.id, now=now)
    context: dict[str, Any] = {
        "event": event,
        "venue": event.plan.venue,
        "page_state": page_state(
            event, caller, now, browser=browser_of(request.headers).known_mark
        ),
        "holds": holds,
        "free": free_seats_up_to(pk, 1),
        "is_paying": any(hold.reservation.state == State.PAYING for hold in holds),
        "total": sum(hold.reservation.total for hold in holds),
        "now": now,
        "reload_seconds": _reload_seconds(holds, now),
    }
    return render(request, "reservations/basket.html", context)


@event_form
def give_back(request: HttpRequest, pk: int, code: str) -> HttpResponse:
    """Release one hold; a repeat changes nothing."""
    whose: Any = {"event_id": pk, "fan_id": caller_of(request).id, "code": code}
    services.release(**whose, now=clock.now())
    messages.success(request, _("Your seats have been released. Others can choose them now."))
    return SeeOther(resolve_url("reservations:seats", pk))


@event_form
def leave(request: HttpRequest, pk: int) -> HttpResponse:
    """Release every hold and leave the queue."""
    services.leave(event_id=pk, fan_id=caller_of(request).id, now=clock.now())
    messages.success(request, _("You have left. Your turn goes to the next person in line."))
    return SeeOther(resolve_url("ticketing:event", pk))


def _reload_seconds(holds: list[selectors.ReservationWithSeats], now: Any) -> int | None:
    """Without scripts the page reloads when the first hold expires."""
    ends = [hold.reservation.deadline for hold in holds]
    return max(int((min(ends) - now).total_seconds()) + 2, 5) if ends else None

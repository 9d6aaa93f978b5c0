"""The waiting page: one address for everybody, whatever their state in the line."""

from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from ticketing.accounts.selectors import Caller, caller_in, page_caller
from ticketing.core import clock
from ticketing.core.errors import NotLoggedIn
from ticketing.core.fast_path.front_door import waited_ms
from ticketing.core.fast_path.marks import marks_of
from ticketing.core.redirects import SeeOther
from waiting_queue import errors, selectors, services
from waiting_queue.models import SaleQueue
from waiting_queue.views.labels import SCRIPT_LABELS
from waiting_queue.views.page_state import (
    PageState,
    copied_page_state,
    page_state_for,
    page_state_of_refusal,
)

GET_OR_POST = ["GET", "HEAD", "POST"]
# Refusals that the page shows anyway, from the state of the line: redirect to it.
REDIRECTED_REFUSALS = (
    errors.QueueNotOpen,
    errors.QueueOver,
    errors.QueueFull,
    errors.NotYourTurn,
    errors.TooLate,
    errors.NotInLine,
)
# Refusals with a page state of their own: the page explains them and keeps the error's status.
RENDERED_REFUSALS = (errors.InAnotherLine, errors.Blocked)


@never_cache
@require_http_methods(GET_OR_POST)
def line(request: HttpRequest, pk: int) -> HttpResponse:
    """Show where the caller stands; a POST joins. Joining twice changes nothing."""
    if request.method == "POST":
        return _act(request, pk, services.join)
    queue, caller = selectors.public_queue(pk), page_caller(request)
    marks = marks_of(request)
    if marks is None:
        return _render_page(request, page_state_for(queue, caller, clock.now()))
    page_state = copied_page_state(queue, marks.variant, clock.now())
    marks.facts |= {
        "page_state": page_state.name,
        "waiting": page_state.waiting,
        "announcements": page_state.announcements,
    }
    return _render_page(request, page_state)


@never_cache
@require_http_methods(GET_OR_POST)
def claim(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the caller in if it is their turn. A GET, as after logging in again, shows the page."""
    if request.method != "POST":
        return SeeOther(resolve_url("queue:line", pk))
    waited = waited_ms(request.headers, int(1000 * clock.now().timestamp()))
    return _act(request, pk, partial(services.claim, waited_ms=waited))


@never_cache
@require_http_methods(GET_OR_POST)
def leave(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for confirmation; a POST gives the place up."""
    if request.method == "POST":
        return _act(request, pk, services.leave)
    queue = selectors.public_queue(pk)
    page_state = page_state_for(queue, _require_caller(request), clock.now())
    if not page_state.is_live and page_state.name != "admitted":
        return SeeOther(resolve_url("queue:line", pk))
    return render(request, "queue/leave.html", _context(page_state))


@never_cache
@require_http_methods(GET_OR_POST)
def appeal(request: HttpRequest, pk: int) -> HttpResponse:
    """Submit a blocked person's appeal."""
    if request.method == "POST":
        person, message = str(_require_caller(request).id), request.POST.get("words", "")
        selectors.public_queue(pk)
        services.submit_appeal(event_id=pk, person=person, message=message, now=clock.now())
    return SeeOther(resolve_url("queue:line", pk))


def _act(request: HttpRequest, pk: int, service: Callable[..., Any]) -> HttpResponse:
    queue, caller, now = selectors.public_queue(pk), _require_caller(request), clock.now()
    if queue.state not in SaleQueue.RUNNING:
        return SeeOther(resolve_url("queue:line", pk))
    try:
        result = service(event_id=pk, person=str(caller.id), now=now)
    except RENDERED_REFUSALS as refusal:
        page_state = page_state_of_refusal(queue, refusal, now, person=str(caller.id))
        return _render_page(request, page_state, status=refusal.status)
    except REDIRECTED_REFUSALS:
        return SeeOther(resolve_url("queue:line", pk))
    is_admitted = getattr(result, "state", "") == "admitted"
    return SeeOther(resolve_url("reservations:seats" if is_admitted else "queue:line", pk))


def _require_caller(request: HttpRequest) -> Caller:
    caller = caller_in(request.session)
    if caller is None:
        raise NotLoggedIn()
    return caller


def _render_page(request: HttpRequest, page_state: PageState, *, status: int = 200) -> HttpResponse:
    """Render the page, or for the page's own script only the part of it that changes."""
    template = "queue/line/_part.html" if request.GET.get("part") else "queue/line.html"
    context = _context(page_state)
    if (marks := marks_of(request)) and page_state.is_live:
        context["own"] = {name: marks.mark(name) for name in page_state.own_values}
        context["chances"] = [
            grade | {"chance": marks.mark(f"chance{place}"), "label": marks.mark(f"label{place}")}
            for place, grade in enumerate(page_state.chances)
        ]
    return render(request, template, context, status=status)


def _context(page_state: PageState) -> dict[str, Any]:
    event = page_state.queue.event
    return {
        "page_state": page_state,
        "own": page_state.own_values,
        "chances": page_state.chances,
        "queue": page_state.queue,
        "event": event,
        "venue": event.plan.venue,
        "now": page_state.now,
        "script_labels": SCRIPT_LABELS,
        "seed_sha256": selectors.seed_hash(page_state.queue.seed),
    }

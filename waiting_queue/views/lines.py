"""The waiting page: one address for everybody, wherever they stand."""

from collections.abc import Callable
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from ticketing.accounts.selectors import Caller, caller_in
from ticketing.core import clock
from ticketing.core.errors import NotLoggedIn
from ticketing.core.redirects import SeeOther
from waiting_queue import errors, services
from waiting_queue.models import SaleQueue
from waiting_queue.views.scenes import Scene, scene_for, scene_of_refusal
from waiting_queue.views.words import WORDS

GET_OR_POST = ["GET", "HEAD", "POST"]
# What is so can be seen on the page itself: whoever runs into it is shown the page.
SEEN_ON_THE_PAGE = (
    errors.QueueNotOpen,
    errors.QueueOver,
    errors.QueueFull,
    errors.NotYourTurn,
    errors.TooLate,
    errors.NotInLine,
)
SAID_BY_THE_PAGE = (errors.InAnotherLine, errors.Blocked)
BEGUN = frozenset(SaleQueue.State) - {SaleQueue.State.SCHEDULED, SaleQueue.State.CLOSED}


@never_cache
@require_http_methods(GET_OR_POST)
def line(request: HttpRequest, pk: int) -> HttpResponse:
    """Where the caller stands; a form sent here joins. Joining twice changes nothing."""
    if request.method == "POST":
        return _act(request, pk, services.join)
    queue, caller = services.public_queue(pk), caller_in(request.session)
    return _show(request, scene_for(queue, caller, clock.now()))


@never_cache
@require_http_methods(GET_OR_POST)
def claim(request: HttpRequest, pk: int) -> HttpResponse:
    """Come in. Who comes here by a link, after logging in again, is shown the page."""
    if request.method != "POST":
        return SeeOther(resolve_url("queue:line", pk))
    return _act(request, pk, services.claim)


@never_cache
@require_http_methods(GET_OR_POST)
def leave(request: HttpRequest, pk: int) -> HttpResponse:
    """Asks once more, and then gives the place up."""
    if request.method == "POST":
        return _act(request, pk, services.leave)
    queue = services.public_queue(pk)
    scene = scene_for(queue, _required(request), clock.now())
    if not scene.is_live and scene.name != "admitted":
        return SeeOther(resolve_url("queue:line", pk))
    return render(request, "queue/leave.html", _context(scene))


@never_cache
@require_http_methods(GET_OR_POST)
def appeal(request: HttpRequest, pk: int) -> HttpResponse:
    """Somebody who was blocked answers. Sent twice, the first one counts."""
    if request.method == "POST":
        person, words = str(_required(request).id), request.POST.get("words", "")
        services.public_queue(pk)
        services.appeal(event_id=pk, person=person, words=words, now=clock.now())
    return SeeOther(resolve_url("queue:line", pk))


def _act(request: HttpRequest, pk: int, service: Callable[..., Any]) -> HttpResponse:
    queue, caller, now = services.public_queue(pk), _required(request), clock.now()
    if queue.state not in BEGUN:
        return SeeOther(resolve_url("queue:line", pk))
    try:
        outcome = service(event_id=pk, person=str(caller.id), now=now)
    except SAID_BY_THE_PAGE as refusal:
        scene = scene_of_refusal(queue, refusal, now, person=str(caller.id))
        return _show(request, scene, status=refusal.status)
    except SEEN_ON_THE_PAGE as refusal:
        outcome = refusal
    return SeeOther(resolve_url(_next(outcome), pk))


def _next(outcome: Any) -> str:
    inside = getattr(outcome, "state", "") == "admitted"
    return "reservations:seats" if inside else "queue:line"


def _required(request: HttpRequest) -> Caller:
    caller = caller_in(request.session)
    if caller is None:
        raise NotLoggedIn()
    return caller


def _show(request: HttpRequest, scene: Scene, *, status: int = 200) -> HttpResponse:
    """The page, or for the page's own script only the part of it that changes."""
    template = "queue/line/_part.html" if request.GET.get("part") else "queue/line.html"
    return render(request, template, _context(scene), status=status)


def _context(scene: Scene) -> dict[str, Any]:
    event = scene.queue.event
    return {
        "scene": scene,
        "queue": scene.queue,
        "event": event,
        "venue": event.plan.venue,
        "now": scene.now,
        "words": WORDS,
        "seed_sha256": services.seed_hash(scene.queue.seed),
    }

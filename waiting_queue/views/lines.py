"""The waiting page: one address for everybody, whatever their state in the line."""

import json
from collections.abc import Callable
from functools import partial
from typing import Any

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render, resolve_url
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_http_methods

from ticketing.accounts.selectors import Caller, caller_in, page_caller
from ticketing.core import clock
from ticketing.core.browsers import Browser, browser_of
from ticketing.core.errors import NotLoggedIn
from ticketing.core.fast_path.front_door import waited_ms
from ticketing.core.fast_path.marks import marks_of
from ticketing.core.redirects import SeeOther
from waiting_queue import errors, selectors, services
from waiting_queue.models import Lane, SaleQueue
from waiting_queue.views.labels import (
    LANE_ACTIONS,
    LANE_QUESTIONS,
    SCRIPT_LABELS,
    exact_duration_label,
)
from waiting_queue.views.page_state import PageState
from waiting_queue.views.page_state_lookup import (
    LANE_REFUSALS,
    copied_page_state,
    page_state_for,
    page_state_of_refusal,
)

GET_OR_POST = ["GET", "HEAD", "POST"]
CODE_MAX_LENGTH = 64
# Refusals that the page shows anyway, from the state of the line: redirect to it.
REDIRECTED_REFUSALS = (
    errors.QueueNotOpen,
    errors.QueueOver,
    errors.QueueFull,
    errors.LimitReached,
    errors.NotYourTurn,
    errors.TooLate,
    errors.NotInLine,
)
# Refusals with a page state of their own: the page explains them and keeps the error's status.
RENDERED_REFUSALS = (errors.InAnotherLine, errors.Blocked, *LANE_REFUSALS)


@never_cache
@require_http_methods(GET_OR_POST)
def line(request: HttpRequest, pk: int) -> HttpResponse:
    """Show where the caller stands; a POST joins. Joining twice changes nothing."""
    if request.method == "POST":
        return _join(request, pk)
    queue, caller = selectors.public_queue(pk), page_caller(request)
    marks = marks_of(request)
    if marks is None:
        browser = browser_of(request.headers).known_mark
        return _render_page(request, page_state_for(queue, caller, clock.now(), browser=browser))
    page_state = copied_page_state(queue, marks.variant, clock.now())
    marks.facts |= {
        "page_state": page_state.name,
        "waiting": page_state.waiting,
        "announcements": page_state.announcements,
        "lane_labels": page_state.lane_labels,
    }
    return _render_page(request, page_state)


def _join(request: HttpRequest, pk: int) -> HttpResponse:
    """Join the lane that the form names by its number and code; without either everybody's."""
    caller, browser = require_caller(request), browser_of(request.headers)
    lane, code = request.POST.get("lane", ""), request.POST.get("code", "").strip()
    join = partial(
        services.join_lane,
        browser=browser.known_mark,
        lane=int(lane) if lane.isascii() and lane.isdigit() and len(lane) < 4 else None,
        code=code[:CODE_MAX_LENGTH],
        known=caller,
        newcomer=newcomer_of(request, caller),
    )
    try:
        return _act(request, pk, join, browser)
    except errors.ChallengeRequired as refusal:
        return render_challenge(request, pk, refusal)


@never_cache
@require_http_methods(GET_OR_POST)
def claim(request: HttpRequest, pk: int) -> HttpResponse:
    """Let the caller in if it is their turn. A GET, as after logging in again, shows the page."""
    if request.method != "POST":
        return SeeOther(resolve_url("queue:line", pk))
    waited = waited_ms(request.headers, int(1000 * clock.now().timestamp()))
    browser = browser_of(request.headers)
    enter = partial(services.claim, browser=browser.known_mark, waited_ms=waited)
    return _act(request, pk, enter, browser)


@never_cache
@require_http_methods(GET_OR_POST)
def leave(request: HttpRequest, pk: int) -> HttpResponse:
    """Ask for confirmation; a POST gives the place up."""
    if request.method == "POST":
        return _act(request, pk, services.leave)
    queue = selectors.public_queue(pk)
    page_state = page_state_for(queue, require_caller(request), clock.now())
    if not page_state.is_live and page_state.name != "admitted":
        return SeeOther(resolve_url("queue:line", pk))
    return render(request, "queue/leave.html", page_context(page_state))


@never_cache
@require_http_methods(GET_OR_POST)
def appeal(request: HttpRequest, pk: int) -> HttpResponse:
    """Submit somebody's appeal; the page is for those who were moved to the end of the line."""
    posts, now = request.method == "POST", clock.now()
    caller = require_caller(request) if posts else caller_in(request.session)
    queue = selectors.public_queue(pk)
    if caller and posts:
        message = request.POST.get("words", "")
        services.submit_appeal(event_id=pk, person=str(caller.id), message=message, now=now)
    page_state = page_state_for(queue, caller, now) if caller else None
    if page_state is None or not page_state.own_values["demoted"]:
        return SeeOther(resolve_url("queue:line", pk))
    if posts:
        return SeeOther(resolve_url("queue:appeal", pk))
    return render(request, "queue/appeal.html", page_context(page_state))


def _act(
    request: HttpRequest, pk: int, service: Callable[..., Any], browser: Browser | None = None
) -> HttpResponse:
    """Join, claim or leave. A new `browser` gets its cookie, and has the pass from then on."""
    queue, caller, now = selectors.public_queue(pk), require_caller(request), clock.now()
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
    response = SeeOther(resolve_url("reservations:seats" if is_admitted else "queue:line", pk))
    if browser is None or result.is_elsewhere(browser.mark):
        return response
    return browser.remember(response)


def newcomer_of(request: HttpRequest, caller: Caller) -> services.Newcomer:
    return services.Newcomer(
        address=request.META.get("REMOTE_ADDR") or "",
        device=browser_of(request.headers).known_mark,
        account_since=caller.since,
        is_verified=bool(caller.birth_year),
        solution=request.POST.get("solution", ""),
    )


def render_challenge(
    request: HttpRequest, pk: int, refusal: errors.ChallengeRequired
) -> HttpResponse:
    """Ask for a solution, which is sent to the address of this request."""
    challenge = refusal.details["challenge"]
    kept = {name: request.POST[name] for name in ("lane", "code") if request.POST.get(name)}
    context = {"event": selectors.public_queue(pk).event, "challenge": challenge, "kept": kept}
    context |= {"challenge_json": json.dumps(challenge), "action": request.path}
    return render(request, "queue/challenge.html", context, status=refusal.status)


def require_caller(request: HttpRequest) -> Caller:
    caller = caller_in(request.session)
    if caller is None:
        raise NotLoggedIn()
    return caller


def _render_page(request: HttpRequest, page_state: PageState, *, status: int = 200) -> HttpResponse:
    """Render the page, or for the page's own script only the part of it that changes."""
    is_part = bool(request.GET.get("part"))
    template = "queue/line/_part.html" if is_part else "queue/line.html"
    context = page_context(page_state)
    if not is_part:
        context |= content_context(page_state, selectors.published_page(page_state.queue.pk))
    if (marks := marks_of(request)) and page_state.is_live:
        context["own"] = {name: marks.mark(name) for name in page_state.own_values}
        context["chances"] = [
            grade | {"chance": marks.mark(f"chance{place}"), "label": marks.mark(f"label{place}")}
            for place, grade in enumerate(page_state.chances)
        ]
    return render(request, template, context, status=status)


def page_context(page_state: PageState) -> dict[str, Any]:
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
        "secret_sha256": page_state.queue.secret_sha256,
        "lanes": (lanes := _lane_choices(page_state)),
        "is_open_to_all": all(choice["is_open"] for choice in lanes if choice["is_for_all"]),
    }


def _lane_choices(page_state: PageState) -> list[dict[str, Any]]:
    """Return the lanes that the page offers, open ones first, with what they ask for.

    Everybody's lane is one of them only if it has rules of its own.
    """
    opened = max(page_state.now, page_state.queue.opens_at)
    is_lobby = page_state.queue.state == SaleQueue.State.LOBBY
    choices = [
        {
            "lane": lane,
            "asks_code": lane.key in Lane.ENTERED,
            "is_for_all": lane.key == Lane.Key.NONE,
            "is_open": not lane.opens_at or lane.opens_at <= opened,
            "offer": selectors.offer_label(lane),
            "question": LANE_QUESTIONS.get(lane.key, ""),
            "action": LANE_ACTIONS.get(lane.key, ("", ""))[is_lobby],
        }
        for lane in page_state.lanes
    ]
    return sorted(choices, key=lambda choice: not choice["is_open"])


def content_context(page_state: PageState, content: selectors.Content) -> dict[str, Any]:
    """What the event's own page says around the line; `content` may be a draft."""
    event, shown = page_state.queue.event, selectors.page_content(content)
    return {
        "content": shown,
        "grades": event.grades.all() if shown["show_prices"] else (),
        "rules": {
            "hold": exact_duration_label(event.hold_seconds),
            "payment": exact_duration_label(event.payment_seconds),
        },
    }

"""The seat map of an event, and one section of it as a list."""

import json
import secrets
from typing import Any

from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reservations.views import seat_drawings
from reservations.views.holds import A_NUMBER
from reservations.views.labels import SEAT_MAP_LABELS, grade_abbreviations
from reservations.views.page_state import PageState, copied_page_state, page_state
from ticketing.accounts.selectors import caller_in, page_caller
from ticketing.core import clock
from ticketing.core.browsers import browser_of
from ticketing.core.errors import NotFound
from ticketing.core.fast_path.marks import marks_of
from ticketing.events import selectors
from ticketing.events.models import Event, Grade, Section
from ticketing.events.selectors import SectionAvailability, visible_event

MOST_KEPT = 100
# Preloaded together, instead of one after the other as each imports the next.
MODULES = [
    *(f"js/seats/{name}.js" for name in ("held", "choice", "plan", "live", "map", "labels")),
    *(f"js/seats/{name}.js" for name in ("camera", "gestures", "paint", "pass", "waiting")),
    *(f"js/seats/{name}.js" for name in ("card", "colours", "filter", "names", "overview")),
    *(f"js/seats/{name}.js" for name in ("seat_shapes", "strokes", "tiles")),
    *(f"js/seats/{name}.js" for name in ("drawing", "drawing_worker", "remote_drawing")),
    *("js/clock.js", "js/queue/transports.js"),
]


@never_cache
@require_safe
def seats(request: HttpRequest, pk: int) -> HttpResponse:
    """Best seats, standing places, the map, and all sections as a table."""
    caller, marks, now = page_caller(request), marks_of(request), clock.now()
    event = visible_event(pk, caller)
    prefetch_related_objects([event], "grades")
    sections = selectors.section_availability(event)
    grades = selectors.grade_availability(event)
    if marks:
        state = copied_page_state(event, marks, now)
    else:
        browser = browser_of(request.headers).known_mark
        state = page_state(event, caller, now, browser=browser)
    legend = _legend(grades)
    context = _context(event, state) | {
        # Idempotency key: pressing a button twice makes one hold.
        "key": marks.mark("key") if marks else secrets.token_urlsafe(12),
        "grades": [item.grade for item in grades],
        "is_sold_out": event.state == Event.State.ON_SALE and selectors.is_sold_out(grades),
        "to_sit": _seated_grades(grades, sections),
        "sections": sections,
        "standing": [one for one in sections if one.section.kind == Section.Kind.STANDING],
        "has_map": any(one.section.kind == Section.Kind.SEATED for one in sections),
        "parts": seat_drawings.parts(sections),
        "box": seat_drawings.overview_box(sections) if sections else None,
        "legend": legend,
        "map_json": _map_json(state, [letters for _, letters in legend], sections),
        "labels": SEAT_MAP_LABELS,
        "modules": MODULES,
    }
    return render(request, "reservations/seats.html", context)


@never_cache
@require_safe
def section(request: HttpRequest, pk: int, code: str) -> HttpResponse:
    """Every seat, by row, with a checkbox; `?keep=` names seats that are ticked already."""
    event = visible_event(pk, caller_in(request.session))
    part, its_seats = selectors.section_seats(event, code)
    if not its_seats:
        raise NotFound()
    browser = browser_of(request.headers).known_mark
    state = page_state(event, caller_in(request.session), clock.now(), browser=browser)
    context = _context(event, state) | {
        "key": secrets.token_urlsafe(12),
        "section": part,
        "left": sum(seat.state == seat.State.AVAILABLE for seat in its_seats),
        "total": len(its_seats),
        "grades": list({seat.grade_id: seat.grade for seat in its_seats}.values()),
        "kept": kept_seats(request),
    }
    if part.kind == Section.Kind.SEATED:
        context |= {
            "box": seat_drawings.section_box(its_seats),
            "shapes": seat_drawings.seat_shapes(its_seats, event.currency),
            "rows": seat_drawings.rows(its_seats),
        }
    return render(request, "reservations/section.html", context)


def kept_seats(request: HttpRequest) -> set[int]:
    """Seats that were ticked before a refusal."""
    values = request.GET.get("keep", "").split(",")[:MOST_KEPT]
    return {int(value) for value in values if A_NUMBER.fullmatch(value)}


def _context(event: Event, state: PageState) -> dict[str, Any]:
    return {
        "event": event,
        "venue": event.plan.venue,
        "page_state": state,
        "now": state.now,
    }


def _seated_grades(
    grades: list[selectors.GradeAvailability], sections: list[SectionAvailability]
) -> list[selectors.GradeAvailability]:
    """The grades with numbered seats."""
    seated = {
        grade.pk
        for one in sections
        if one.section.kind == Section.Kind.SEATED
        for grade in one.grades
    }
    return [item for item in grades if item.grade.pk in seated]


def _legend(grades: list[selectors.GradeAvailability]) -> list[tuple[Grade, str]]:
    """Each grade with its abbreviation on the map."""
    found = [item.grade for item in grades]
    return list(zip(found, grade_abbreviations([grade.code for grade in found]), strict=True))


def _map_json(state: PageState, letters: list[str], sections: list[SectionAvailability]) -> str:
    """What the map's script needs to know about this person."""
    return json.dumps(
        {
            "may_choose": state.may_choose,
            "left": state.left,
            "limit": state.event.seats_per_person,
            "own": state.own_ids,
            "marks": letters,
            "views": {
                one.section.code: one.section.view.url for one in sections if one.section.view
            },
        }
    )

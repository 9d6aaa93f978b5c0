"""Where people choose: the house, and one section of it as a list."""

import json
import secrets
from typing import Any

from django.db.models import prefetch_related_objects
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_safe

from reservations.views import seat_drawings
from reservations.views.holding import A_NUMBER
from reservations.visits import Visit, visit
from reservations.words import WORDS, marks
from ticketing.accounts.selectors import caller_in
from ticketing.core import clock
from ticketing.core.errors import NotFound
from ticketing.events import selectors
from ticketing.events.models import Event, Grade, Section
from ticketing.events.selectors import SectionAvailability, visible_event

MOST_KEPT = 100
SELLING = (Event.State.ON_SALE, Event.State.SOLD_OUT)
# Fetched at once, not one after the other as each names the next.
MODULES = [
    *(f"js/seats/{name}.js" for name in ("held", "choice", "house", "live", "map", "words")),
    *(f"js/seats/{name}.js" for name in ("camera", "gestures", "paint", "pass")),
    *("js/clock.js", "js/queue/transports.js"),
]


@never_cache
@require_safe
def seats(request: HttpRequest, pk: int) -> HttpResponse:
    """The best for me, standing places, the map, and all sections as a table."""
    event = visible_event(pk, caller_in(request.session))
    prefetch_related_objects([event], "grades")
    sections = selectors.section_availability(event)
    grades = selectors.grade_availability(event)
    seen = visit(event, caller_in(request.session), clock.now())
    legend = _legend(grades)
    context = _context(event, seen) | {
        "grades": [item.grade for item in grades],
        "is_sold_out": event.state in SELLING and selectors.is_sold_out(grades),
        "to_sit": _grades_to_sit(grades, sections),
        "sections": sections,
        "standing": [one for one in sections if one.section.kind == Section.Kind.STANDING],
        "has_map": any(one.section.kind == Section.Kind.SEATED for one in sections),
        "parts": seat_drawings.parts(sections),
        "box": seat_drawings.overview_box(sections) if sections else None,
        "legend": legend,
        "map_json": _for_the_map(seen, [mark for _, mark in legend]),
        "words": WORDS,
        "modules": MODULES,
    }
    return render(request, "reservations/seats.html", context)


@never_cache
@require_safe
def section(request: HttpRequest, pk: int, code: str) -> HttpResponse:
    """Every seat, by row, with a box to tick; `keep` names those that are ticked already."""
    event = visible_event(pk, caller_in(request.session))
    part, its_seats = selectors.section_seats(event, code)
    if not its_seats:
        raise NotFound()
    seen = visit(event, caller_in(request.session), clock.now())
    context = _context(event, seen) | {
        "section": part,
        "left": sum(seat.state == seat.State.AVAILABLE for seat in its_seats),
        "total": len(its_seats),
        "grades": list({seat.grade_id: seat.grade for seat in its_seats}.values()),
        "kept": kept_in(request),
    }
    if part.kind == Section.Kind.SEATED:
        context |= {
            "box": seat_drawings.section_box(its_seats),
            "shapes": seat_drawings.seat_shapes(its_seats, event.currency),
            "rows": seat_drawings.rows(its_seats),
        }
    return render(request, "reservations/section.html", context)


def kept_in(request: HttpRequest) -> set[int]:
    """Seats that were chosen before something came between."""
    words = request.GET.get("keep", "").split(",")[:MOST_KEPT]
    return {int(word) for word in words if A_NUMBER.fullmatch(word)}


def _context(event: Event, seen: Visit) -> dict[str, Any]:
    return {
        "event": event,
        "venue": event.plan.venue,
        "visit": seen,
        "now": seen.now,
        # One page, one hold: pressing a button twice asks for nothing more.
        "key": secrets.token_urlsafe(12),
    }


def _grades_to_sit(
    grades: list[selectors.GradeAvailability], sections: list[SectionAvailability]
) -> list[selectors.GradeAvailability]:
    """The grades in which there are numbered seats."""
    seated = {
        grade.pk
        for one in sections
        if one.section.kind == Section.Kind.SEATED
        for grade in one.grades
    }
    return [item for item in grades if item.grade.pk in seated]


def _legend(grades: list[selectors.GradeAvailability]) -> list[tuple[Grade, str]]:
    """Each grade with the letters that stand for it on the map."""
    found = [item.grade for item in grades]
    return list(zip(found, marks([grade.code for grade in found]), strict=True))


def _for_the_map(seen: Visit, letters: list[str]) -> str:
    """What the map's script needs to know of this person."""
    return json.dumps(
        {
            "may_choose": seen.may_choose,
            "left": seen.left,
            "limit": seen.event.seats_per_person,
            "own": seen.own_ids,
            "marks": letters,
        }
    )

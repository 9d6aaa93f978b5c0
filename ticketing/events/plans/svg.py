"""Draws a plan as a small SVG: one path per grade, however many seats it has.

Presentation attributes only, so that the strict content policy holds where it is shown inline.
"""

from collections import defaultdict
from collections.abc import Iterator
from xml.sax.saxutils import escape, quoteattr

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from ticketing.events.plans.draft import PlaceDraft, PlanDraft, SectionDraft

# Distinguishable for colour-blind people (Okabe and Ito), in the order of the grades.
PALETTE = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#d55e00", "#56b4e9", "#8a7a00", "#666666")
SEAT, BORDER, STAGE_HEIGHT = 14, 30, 50


def plan_svg(plan: PlanDraft, *, seats: bool = True) -> str:
    """The drawing; without `seats` only the sections, for a thumbnail."""
    left, top, width, height = _frame(plan)
    colours = grade_colours(plan)
    size = max(14, min(30, width // 60))
    inside = [*_stage(left, top, width), *_sections(plan, colours, size, filled=not seats)]
    if seats:
        inside += _seats(plan, colours)
        inside += _wheelchairs(plan)
    title = _("Seat plan, %(seats)s seats") % {"seats": plan.seats}
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" role="img" aria-label={quoteattr(title)}'
        f' viewBox="{left} {top} {width} {height}" font-family="sans-serif">'
        f'<rect x="{left}" y="{top}" width="{width}" height="{height}" fill="#ffffff"/>'
        f"{''.join(inside)}</svg>"
    )


def grade_colours(plan: PlanDraft) -> dict[str, str]:
    return {grade: PALETTE[i % len(PALETTE)] for i, grade in enumerate(plan.grades)}


def _frame(plan: PlanDraft) -> tuple[int, int, int, int]:
    sections = plan.sections
    left = min((s.x for s in sections), default=0) - BORDER
    right = max((s.x + s.width for s in sections), default=200) + BORDER
    top = min([0, *(s.y for s in sections)]) - STAGE_HEIGHT - BORDER
    bottom = max((s.y + s.height for s in sections), default=0) + BORDER
    return left, top, right - left, bottom - top


def _stage(left: int, top: int, width: int) -> Iterator[str]:
    stage = max(60, width // 2)
    x, y = left + (width - stage) // 2, top + BORDER // 2
    yield f'<rect x="{x}" y="{y}" width="{stage}" height="{STAGE_HEIGHT}" rx="6" fill="#3a3a44"/>'
    yield _label(_("Stage"), left + width // 2, y + STAGE_HEIGHT // 2, 22, "#ffffff")


def _sections(
    plan: PlanDraft, colours: dict[str, str], size: int, *, filled: bool
) -> Iterator[str]:
    for section in plan.sections:
        solid = (filled or section.is_standing) and section.places
        colour = colours[section.places[0].grade] if solid else "#f2f2f5"
        yield (
            f'<rect x="{section.x}" y="{section.y}" width="{section.width}"'
            f' height="{section.height}" rx="6" fill="{colour}"'
            f'{" fill-opacity=" + quoteattr("0.35") if solid else ""} stroke="#8a8a94"/>'
        )
        if solid:
            yield from _name(section)
        else:
            x = section.x + section.width // 2
            yield _label(section.code, x, section.y - 4 - size // 2, size, "#44444c")


def _name(section: SectionDraft) -> Iterator[str]:
    """The name and the number of people, in the middle of a section that shows no seats."""
    x, y = section.x + section.width // 2, section.y + section.height // 2
    size = max(10, min(section.width // 8, section.height // 4, 40))
    english = (get_language() or "").startswith("en")
    yield _label(section.name_en if english else section.name_ko, x, y - size * 2 // 3, size)
    yield _label(f"{len(section.places):,}", x, y + size * 2 // 3, size)


def _seats(plan: PlanDraft, colours: dict[str, str]) -> Iterator[str]:
    by_grade: dict[str, list[PlaceDraft]] = defaultdict(list)
    for section in plan.sections:
        if not section.is_standing:
            for place in section.places:
                by_grade[place.grade].append(place)
    for grade, places in by_grade.items():
        yield (
            f'<path d="{_dots(places)}" stroke="{colours[grade]}" stroke-width="{SEAT}"'
            f' stroke-linecap="round" fill="none"><title>{escape(grade)}</title></path>'
        )


def _wheelchairs(plan: PlanDraft) -> Iterator[str]:
    """A white disc in a wheelchair place, a white point in a companion's."""
    for size, places in (
        (8, [place for place in plan.places() if place.accessible]),
        (4, [place for place in plan.places() if place.companion]),
    ):
        if places:
            yield (
                f'<path d="{_dots(places)}" stroke="#ffffff" stroke-width="{size}"'
                ' stroke-linecap="round" fill="none"/>'
            )


def _dots(places: list[PlaceDraft]) -> str:
    """Steps from seat to seat; a line of no length with round ends is a dot."""
    x = y = 0
    steps = []
    for place in places:
        steps.append(f"m{place.x - x} {place.y - y}h0")
        x, y = place.x, place.y
    return "".join(steps)


def _label(message: str, x: int, y: int, size: int, colour: str = "#1b1b1f") -> str:
    return (
        f'<text x="{x}" y="{y}" font-size="{size}" fill="{colour}" text-anchor="middle"'
        f' dominant-baseline="middle">{escape(message)}</text>'
    )

"""Will there be seats for me? Per grade, up to how many people ahead there probably will be.

docs/waiting.md tells the same in words. Everything is a whole number or an exact fraction.
"""

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from ticketing.events.selectors import GradeSeatCounts, seats_by_grade

# Until enough people are done, it is as if so many with so many seats each had come before them.
ASSUMED_PEOPLE, ASSUMED_BASKET = 20, 2
# More seats a person than this were not taken by these people: what was counted doesn't fit.
LARGEST_BASKET = 4
# The share of a grade's free seats that may be wanted by those ahead.
LIKELY, MAYBE = Fraction(70, 100), Fraction(130, 100)


@dataclass(frozen=True)
class GradeOutlook:
    """With fewer than `likely` people ahead a seat is likely, with fewer than `maybe` possible."""

    code: str
    name_ko: str
    name_en: str
    free: int
    likely: int
    maybe: int

    def chance(self, ahead: int) -> str:
        if not self.free:
            return "none"
        if ahead < self.likely:
            return "likely"
        return "maybe" if ahead < self.maybe else "unlikely"


@dataclass(frozen=True)
class Outlook:
    sold_out: bool
    grades: list[GradeOutlook]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def outlook_of(event_id: int, *, admitted: int, inside: int, ready: int) -> Outlook:
    """The outlook of an event now, from how many ever came in, are inside, and are called."""
    return forecast(seats_by_grade(event_id), admitted=admitted, inside=inside, ready=ready)


def forecast(
    seats: Sequence[GradeSeatCounts], *, admitted: int, inside: int, ready: int
) -> Outlook:
    sold = sum(grade.sold for grade in seats)
    held = sum(grade.held for grade in seats)
    basket = average_basket(sold=sold, done=max(admitted - inside, 0))
    before_the_line = ready + undecided(inside=inside, held=held, basket=basket)
    left = any(grade.free or grade.held for grade in seats)
    return Outlook(sold > 0 and not left, limits(seats, basket, before_the_line))


def average_basket(*, sold: int, done: int) -> Fraction:
    """Seats per person who came in and is out again, with or without any.

    Those inside don't count: who is still choosing would look like somebody who wants nothing.
    """
    basket = Fraction(sold + ASSUMED_PEOPLE * ASSUMED_BASKET, done + ASSUMED_PEOPLE)
    return basket if basket <= LARGEST_BASKET else Fraction(ASSUMED_BASKET)


def undecided(*, inside: int, held: int, basket: Fraction) -> Fraction:
    """People inside who have not taken their seats yet: held seats are those of the others."""
    return max(inside - held / basket, Fraction(0))


def limits(
    seats: Sequence[GradeSeatCounts], basket: Fraction, before_the_line: Fraction | int
) -> list[GradeOutlook]:
    """How far back in line the seats of each grade reach, after everybody before the line."""
    wanted = popularity(seats)
    all_wanted = sum(wanted[grade.code] for grade in seats if grade.free)

    def reach(grade: GradeSeatCounts, part: Fraction) -> int:
        if not grade.free:
            return 0
        per_person = basket * wanted[grade.code] / all_wanted
        return max(math.floor(grade.free * part / per_person - before_the_line) + 1, 0)

    return [
        GradeOutlook(
            code=grade.code,
            name_ko=grade.name_ko,
            name_en=grade.name_en,
            free=grade.free,
            likely=reach(grade, LIKELY),
            maybe=reach(grade, MAYBE),
        )
        for grade in seats
    ]


def popularity(seats: Sequence[GradeSeatCounts]) -> dict[str, Fraction]:
    """How much each grade is wanted: by what was taken, and at first by how many seats it has.

    Only the grades that are left share the demand: whose grade is gone takes another.
    """
    total = sum(grade.total for grade in seats)
    assumed = Fraction(ASSUMED_PEOPLE * ASSUMED_BASKET, total or 1)
    return {grade.code: grade.taken + assumed * grade.total for grade in seats}

"""The outlook: with how many people ahead seats of each grade will probably be left.

docs/waiting.md explains the calculation. All numbers are integers or exact fractions.
"""

import math
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from fractions import Fraction
from typing import Any

from ticketing.events.selectors import GradeSeatCounts, seats_by_grade

# Prior of the average basket: counts as this many people who took this many seats each.
ASSUMED_PEOPLE, ASSUMED_BASKET = 20, 2
# A larger average means that seats were sold outside the queue; the prior is used instead.
LARGEST_BASKET = 4
# A seat is likely (possible) while those ahead want at most this share of the free seats.
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


@dataclass(frozen=True)
class Outlook:
    grades: list[GradeOutlook]

    def as_dict(self) -> dict[str, Any]:
        return asdict(self)


def outlook_of(event_id: int, *, admitted: int, inside: int, ready: int) -> Outlook:
    """Return the outlook of an event from its people admitted so far, inside and called."""
    return forecast(seats_by_grade(event_id), admitted=admitted, inside=inside, ready=ready)


def chance_of(grade: Mapping[str, Any], ahead: int) -> str:
    """Return the chance of a seat in this grade (of `as_dict`), as the page's script does."""
    if not grade["free"]:
        return "none"
    if ahead < grade["likely"]:
        return "likely"
    return "maybe" if ahead < grade["maybe"] else "unlikely"


def forecast(
    seats: Sequence[GradeSeatCounts], *, admitted: int, inside: int, ready: int
) -> Outlook:
    sold = sum(grade.sold for grade in seats)
    held = sum(grade.held for grade in seats)
    basket = average_basket(sold=sold, done=max(admitted - inside, 0))
    before_the_line = ready + undecided(inside=inside, held=held, basket=basket)
    return Outlook(grade_outlooks(seats, basket, before_the_line))


def average_basket(*, sold: int, done: int) -> Fraction:
    """Return the average number of seats per person who came in and is done.

    People inside don't count: they have not taken their seats yet.
    """
    basket = Fraction(sold + ASSUMED_PEOPLE * ASSUMED_BASKET, done + ASSUMED_PEOPLE)
    return basket if basket <= LARGEST_BASKET else Fraction(ASSUMED_BASKET)


def undecided(*, inside: int, held: int, basket: Fraction) -> Fraction:
    """Return how many people inside have not taken seats yet, judging by the seats held."""
    return max(inside - held / basket, Fraction(0))


def grade_outlooks(
    seats: Sequence[GradeSeatCounts], basket: Fraction, before_the_line: Fraction | int
) -> list[GradeOutlook]:
    """Return per grade how far back in line its seats reach, after everybody before the line."""
    demand = popularity(seats)
    total_demand = sum(demand[grade.code] for grade in seats if grade.free)

    def people_ahead(grade: GradeSeatCounts, share: Fraction) -> int:
        if not grade.free:
            return 0
        per_person = basket * demand[grade.code] / total_demand
        return max(math.floor(grade.free * share / per_person - before_the_line) + 1, 0)

    return [
        GradeOutlook(
            code=grade.code,
            name_ko=grade.name_ko,
            name_en=grade.name_en,
            free=grade.free,
            likely=people_ahead(grade, LIKELY),
            maybe=people_ahead(grade, MAYBE),
        )
        for grade in seats
    ]


def popularity(seats: Sequence[GradeSeatCounts]) -> dict[str, Fraction]:
    """Return the demand for each grade: seats taken so far plus a prior by its size.

    Only grades with free seats share the demand: people whose grade is sold out take another.
    """
    total = sum(grade.total for grade in seats)
    assumed = Fraction(ASSUMED_PEOPLE * ASSUMED_BASKET, total or 1)
    return {grade.code: grade.taken + assumed * grade.total for grade in seats}

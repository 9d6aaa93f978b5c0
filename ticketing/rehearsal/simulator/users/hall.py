"""The seat list (docs/api.md): read once for everybody, then only its letters."""

import json
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

STATES = b'"states":"'
FREE, HELD = "a", "h"
# Of all rows, so many at the front are fought for.
POPULAR, EVERYWHERE = 0.03, 0.5


@dataclass(frozen=True, slots=True)
class Stretch:
    """Ordinary seats side by side; `start` is where their letters are."""

    start: int
    ids: tuple[int, ...]
    grade: int  # of the first of them
    away: tuple[float, float]  # from the stage, and from the middle

    @property
    def end(self) -> int:
        return self.start + len(self.ids)


class Hall:
    """Where the seats are. That does not change while they are sold."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.grades = [grade["code"] for grade in body["grades"]]
        self.floors = [part["code"] for part in body["sections"] if part["standing"]]
        self.places: dict[int, int] = {}  # seat -> where its letter is
        stretches = []
        for section in body["sections"]:
            for row in section["rows"]:
                at = len(self.places)
                stretches += _stretches(row, at)
                self.places |= {seat: at + n for n, seat in enumerate(numbers(row["ids"]))}
        middle = _middle(stretches)
        self.stretches = sorted(stretches, key=lambda it: (it.away[0], abs(it.away[1] - middle)))
        self._grades = {seat: it.grade for it in stretches for seat in it.ids}

    @classmethod
    def read(cls, body: bytes) -> "Hall":
        return cls(json.loads(body))

    @cached_property
    def has_seats(self) -> bool:
        return bool(self.stretches)

    def knows(self, changes: dict[str, list[int]]) -> bool:
        """Places to stand have no letters: how many are left is only in the list."""
        return all(seat in self.places for seats in changes.values() for seat in seats)

    def grade_of(self, seat: int) -> str:
        """As far as is known: of the first seat of its stretch."""
        return str(self.grades[self._grades[seat]])

    def choose(self, states: str, wanted: int, luck: Random, *, popular: bool) -> list[int]:
        """So many free seats side by side; popular ones are the same for all who want those."""
        count = len(self.stretches)
        spread = max(1.0, count * (POPULAR if popular else EVERYWHERE))
        first = min(int(luck.expovariate(1 / spread)), count - 1) if count else 0
        for step in range(count):
            stretch = self.stretches[(first + step) % count]
            if found := _free(stretch, states, wanted, luck, popular):
                return found
        return []


def _free(stretch: Stretch, states: str, wanted: int, luck: Random, popular: bool) -> list[int]:
    letters = FREE * wanted
    begin = stretch.start if popular else luck.randrange(stretch.start, stretch.end)
    at = states.find(letters, begin, stretch.end)
    if at < 0 and begin > stretch.start:
        at = states.find(letters, stretch.start, stretch.end)
    return [] if at < 0 else [*stretch.ids[at - stretch.start : at - stretch.start + wanted]]


def states_of(body: bytes) -> str:
    """The letters, without reading all the rest again."""
    begins = body.rfind(STATES) + len(STATES)
    return body[begins : body.find(b'"', begins)].decode()


def numbers(steps: list[Any]) -> list[int]:
    """`[7, [1, 3], 10]` is 7, 8, 9, 10, 20."""
    values = [int(steps[0])]
    for entry in steps[1:]:
        step, times = entry if isinstance(entry, list) else (entry, 1)
        for _ in range(times):
            values.append(values[-1] + step)
    return values


def _stretches(row: dict[str, Any], at: int) -> list[Stretch]:
    """A row without its wheelchair places and companions' seats, which are not for everybody."""
    ids, xs, ys, grades = (numbers(row[name]) for name in ("ids", "x", "y", "grades"))
    special = {*row.get("accessible", []), *row.get("companion", [])}
    found, begin = [], 0
    for index in range(len(ids) + 1):
        if index == len(ids) or index in special:
            if index > begin:
                away = (float(ys[begin]), (xs[begin] + xs[index - 1]) / 2)
                found.append(Stretch(at + begin, tuple(ids[begin:index]), grades[begin], away))
            begin = index + 1
    return found


def _middle(stretches: list[Stretch]) -> float:
    places = [stretch.away[1] for stretch in stretches]
    return (min(places) + max(places)) / 2 if places else 0.0

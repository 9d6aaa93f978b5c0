"""The layout of the seat list (docs/api.md): parsed once for all users; later only its letters."""

import json
from dataclasses import dataclass
from functools import cached_property
from random import Random
from typing import Any

STATES = b'"states":"'
FREE, HELD = "a", "h"
# The share of blocks, from the front, among which popular and other seats are chosen.
POPULAR_SPREAD, USUAL_SPREAD = 0.03, 0.5


@dataclass(frozen=True, slots=True)
class SeatBlock:
    """Ordinary seats side by side; `start` is the index of their first letter."""

    start: int
    ids: tuple[int, ...]
    grade: int  # of the first of them
    position: tuple[float, float]  # y from the stage, x of the middle

    @property
    def end(self) -> int:
        return self.start + len(self.ids)


class SeatLayout:
    """Blocks of seats and the index of each seat's letter; does not change during a sale."""

    def __init__(self, body: dict[str, Any]) -> None:
        self.grades = [grade["code"] for grade in body["grades"]]
        self.standing_sections = [part["code"] for part in body["sections"] if part["standing"]]
        self.index_of: dict[int, int] = {}  # seat -> index of its letter
        blocks = []
        for section in body["sections"]:
            for row in section["rows"]:
                at = len(self.index_of)
                blocks += _seat_blocks(row, at)
                self.index_of |= {seat: at + n for n, seat in enumerate(numbers(row["ids"]))}
        places = [block.position[1] for block in blocks]
        middle = (min(places) + max(places)) / 2 if places else 0.0
        self.blocks = sorted(blocks, key=lambda it: (it.position[0], abs(it.position[1] - middle)))
        self._grades = {seat: it.grade for it in blocks for seat in it.ids}

    @classmethod
    def read(cls, body: bytes) -> "SeatLayout":
        return cls(json.loads(body))

    @cached_property
    def has_seats(self) -> bool:
        return bool(self.blocks)

    def are_seats(self, changes: dict[str, list[int]]) -> bool:
        """Whether all changes are of seats; standing places have no letters of their own."""
        return all(seat in self.index_of for seats in changes.values() for seat in seats)

    def grade_of(self, seat: int) -> str:
        """The grade of the first seat of its block."""
        return str(self.grades[self._grades[seat]])

    def choose(self, states: str, wanted: int, rng: Random, *, popular: bool) -> list[int]:
        """So many free seats side by side; `popular` makes users choose the same ones."""
        count = len(self.blocks)
        spread = max(1.0, count * (POPULAR_SPREAD if popular else USUAL_SPREAD))
        first = min(int(rng.expovariate(1 / spread)), count - 1) if count else 0
        for step in range(count):
            block = self.blocks[(first + step) % count]
            if found := _free(block, states, wanted, rng, popular):
                return found
        return []


def _free(block: SeatBlock, states: str, wanted: int, rng: Random, popular: bool) -> list[int]:
    letters = FREE * wanted
    begin = block.start if popular else rng.randrange(block.start, block.end)
    at = states.find(letters, begin, block.end)
    if at < 0 and begin > block.start:
        at = states.find(letters, block.start, block.end)
    return [] if at < 0 else [*block.ids[at - block.start : at - block.start + wanted]]


def states_of(body: bytes) -> str:
    """The letters of a seat list, without parsing the rest."""
    begins = body.rfind(STATES) + len(STATES)
    return body[begins : body.find(b'"', begins)].decode()


def numbers(steps: list[Any]) -> list[int]:
    """Decode differences: `[7, [1, 3], 10]` is 7, 8, 9, 10, 20."""
    values = [int(steps[0])]
    for entry in steps[1:]:
        step, times = entry if isinstance(entry, list) else (entry, 1)
        for _ in range(times):
            values.append(values[-1] + step)
    return values


def _seat_blocks(row: dict[str, Any], at: int) -> list[SeatBlock]:
    """The blocks of a row, split at wheelchair and companion seats, which are not for everybody."""
    ids, xs, ys, grades = (numbers(row[name]) for name in ("ids", "x", "y", "grades"))
    special = {*row.get("accessible", []), *row.get("companion", [])}
    found, begin = [], 0
    for index in range(len(ids) + 1):
        if index == len(ids) or index in special:
            if index > begin:
                position = (float(ys[begin]), (xs[begin] + xs[index - 1]) / 2)
                found.append(
                    SeatBlock(at + begin, tuple(ids[begin:index]), grades[begin], position)
                )
            begin = index + 1
    return found

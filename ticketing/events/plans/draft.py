"""A seat plan as plain values, independent of the database."""

from collections.abc import Iterator
from dataclasses import dataclass, field

SEATED, STANDING = "seated", "standing"
MAX_SEATS = 100_000

# Distance between seats, and between rows.
SEAT_STEP, ROW_STEP = 20, 22


@dataclass(frozen=True, slots=True)
class PlaceDraft:
    row: str
    number: int
    grade: str
    x: int = 0
    y: int = 0
    accessible: bool = False
    companion: bool = False


@dataclass(frozen=True, slots=True)
class SectionDraft:
    """A section and its box in the drawing."""

    code: str
    name_ko: str
    name_en: str
    kind: str = SEATED
    places: list[PlaceDraft] = field(default_factory=list)
    x: int = 0
    y: int = 0
    width: int = 0
    height: int = 0

    @property
    def is_standing(self) -> bool:
        return self.kind == STANDING


@dataclass(frozen=True, slots=True)
class PlanDraft:
    sections: list[SectionDraft] = field(default_factory=list)

    @property
    def seats(self) -> int:
        return sum(len(section.places) for section in self.sections)

    @property
    def grades(self) -> list[str]:
        """Every grade, in the order in which the plan first uses it."""
        return list(dict.fromkeys(place.grade for place in self.places()))

    def places(self) -> Iterator[PlaceDraft]:
        for section in self.sections:
            yield from section.places


def standing_places(capacity: int, grade: str) -> list[PlaceDraft]:
    """One place per person; they have no positions."""
    return [PlaceDraft(row="", number=number, grade=grade) for number in range(1, capacity + 1)]

"""Geometry of the seat map drawings, computed for their templates."""

from collections.abc import Iterable
from dataclasses import dataclass

from django.utils.translation import gettext as _

from ticketing.core.money import money
from ticketing.events.models import Grade, Seat, Section
from ticketing.events.selectors import SectionAvailability

# Widest section, in plan units, that is readable on a phone.
SECTION_FITS = 620
# The overview fits if its smallest text is at least this tall on a phone of this width (pixels).
PHONE_WIDTH, SMALLEST_TEXT = 330, 12


@dataclass(frozen=True)
class Box:
    """The visible area of a drawing; its stage, `stage` high, is at the top."""

    x: int
    y: int
    width: int
    height: int
    stage: int
    fits: int

    @property
    def is_wide(self) -> bool:
        """Too wide for a phone, which then scrolls it sideways instead of shrinking it."""
        return self.width > self.fits

    @property
    def view_box(self) -> str:
        return f"{self.x} {self.y} {self.width} {self.height}"

    @property
    def right(self) -> int:
        return self.x + self.width

    @property
    def centre(self) -> int:
        return self.x + self.width // 2

    @property
    def stage_width(self) -> int:
        return max(self.width // 2, 7 * self.stage)

    @property
    def stage_x(self) -> int:
        return self.centre - self.stage_width // 2

    @property
    def stage_middle(self) -> int:
        return self.y + self.stage // 2

    @property
    def stage_text(self) -> int:
        return self.stage // 2

    @property
    def band(self) -> int:
        """Thickness of the coloured edge of a section."""
        return max(4, self.width // 120)


@dataclass(frozen=True)
class Part:
    """A section in the overview; `level` shows the share of free seats."""

    of: SectionAvailability
    colour: str
    bands: list[tuple[float, float, str]]
    level_y: int
    level: int
    centre_x: int
    name_y: int
    count_y: int
    text: int
    small: int


@dataclass(frozen=True)
class SeatShape:
    x: int
    y: int
    shape: str
    state: str
    colour: str
    title: str


@dataclass(frozen=True)
class Row:
    """One row as text."""

    name: str
    y_at_left: int
    y_at_right: int
    left: int
    total: int
    free: str
    grades: list[Grade]
    seats: list[Seat]  # from left to right


def overview_box(sections: list[SectionAvailability]) -> Box:
    boxes = [part.section for part in sections]
    left, top = min(box.x for box in boxes), min(box.y for box in boxes)
    right = max(box.x + box.width for box in boxes)
    bottom = max(box.y + box.height for box in boxes)
    wide = right - left
    fits = PHONE_WIDTH * min(map(_text_size, boxes)) // SMALLEST_TEXT
    return _around(
        left, top, right, bottom, margin=max(24, wide // 40), stage=wide // 14, fits=fits
    )


def _around(
    left: int, top: int, right: int, bottom: int, *, margin: int, stage: int, fits: int
) -> Box:
    above = stage + margin
    width, height = right - left + 2 * margin, bottom - top + above + margin
    return Box(left - margin, top - above, width, height, stage, fits)


def parts(sections: list[SectionAvailability]) -> list[Part]:
    return [_part(section) for section in sections]


def _part(left: SectionAvailability) -> Part:
    box, share = left.section, left.left / left.total if left.total else 0
    level = round(box.height * share)
    text = _text_size(box)
    middle = box.y + box.height // 2
    return Part(
        of=left,
        colour=left.grades[0].colour,
        bands=_bands(box, left.grades),
        level_y=box.y + box.height - level,
        level=level,
        centre_x=box.x + box.width // 2,
        name_y=middle - int(text * 0.45),
        count_y=middle + int(text * 0.7),
        text=text,
        small=int(text * 0.7),
    )


def _text_size(box: Section) -> int:
    return int(min(box.height * 0.42, box.width / (0.7 * max(4, len(box.code)))))


def _bands(box: Section, grades: list[Grade]) -> list[tuple[float, float, str]]:
    """(x, width, colour) of each grade along the top edge."""
    width = box.width / len(grades)
    return [(box.x + width * turn, width, grade.colour) for turn, grade in enumerate(grades)]


def section_box(seats: list[Seat]) -> Box:
    across, down = [seat.place.x for seat in seats], [seat.place.y for seat in seats]
    return _around(
        min(across) - 20,
        min(down) - 8,
        max(across) + 20,
        max(down),
        margin=24,
        stage=22,
        fits=SECTION_FITS,
    )


def seat_shapes(seats: Iterable[Seat], currency: str) -> list[SeatShape]:
    prices = {seat.grade_id: money(seat.grade.price, currency) for seat in seats}
    return [
        SeatShape(
            x=seat.place.x,
            y=seat.place.y,
            shape=_shape(seat),
            state=seat.state,
            colour=seat.grade.colour,
            title=_title(seat, prices[seat.grade_id]),
        )
        for seat in seats
    ]


def _shape(seat: Seat) -> str:
    if seat.state != Seat.State.AVAILABLE:
        return seat.state
    if seat.place.accessible:
        return "wheelchair"
    return "companion" if seat.place.companion else "available"


def _title(seat: Seat, price: str) -> str:
    title = _("Row %(row)s, seat %(number)s — %(grade)s, %(price)s, %(state)s") % {
        "row": seat.place.row,
        "number": seat.place.number,
        "grade": seat.grade.name,
        "price": price,
        "state": seat.get_state_display(),
    }
    if seat.place.accessible:
        title += ", " + _("wheelchair space")
    if seat.place.companion:
        title += ", " + _("companion's seat")
    return title


def rows(seats: Iterable[Seat]) -> list[Row]:
    """The rows from front to back, ordered by their mean y, because rows may be curved."""
    by_name: dict[str, list[Seat]] = {}
    for seat in seats:
        by_name.setdefault(seat.place.row, []).append(seat)
    return [_row(name, row) for name, row in sorted(by_name.items(), key=_distance)]


def _distance(named: tuple[str, list[Seat]]) -> tuple[float, str]:
    name, seats = named
    return sum(seat.place.y for seat in seats) / len(seats), name


def _row(name: str, seats: list[Seat]) -> Row:
    free = [seat.place.number for seat in seats if seat.state == Seat.State.AVAILABLE]
    across = sorted(seats, key=lambda seat: (seat.place.x, seat.pk))
    return Row(
        name=name,
        y_at_left=across[0].place.y,
        y_at_right=across[-1].place.y,
        left=len(free),
        total=len(seats),
        free=ranges(free),
        grades=list({seat.grade_id: seat.grade for seat in seats}.values()),
        seats=across,
    )


def ranges(numbers: list[int]) -> str:
    """Consecutive numbers as ranges, separated by commas."""
    runs: list[list[int]] = []
    for number in sorted(numbers):
        if runs and number == runs[-1][-1] + 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    return ", ".join(f"{run[0]}–{run[-1]}" if len(run) > 1 else str(run[0]) for run in runs)

"""Reads SVG drawings: groups are sections, circles and rectangles are seats (docs/seat-plans.md).

The parser builds no tree, and refuses documents with a DTD: nothing is expanded or loaded.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import pairwise
from statistics import median
from typing import Any
from xml.parsers import expat

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.events.plans.builder import PlanBuilder
from ticketing.events.plans.draft import MAX_SEATS, SEAT_STEP, STANDING, PlanDraft
from ticketing.events.plans.errors import Problems
from ticketing.events.plans.fields import Fields
from ticketing.events.plans.transforms import IDENTITY, Transform, read_number, read_transform

MOST_ELEMENTS = 2 * MAX_SEATS + 10_000  # a seat may have a title
MOST_TEXT = 200
DEEPEST = 100
SHAPES = frozenset({"circle", "ellipse", "rect"})
# What is drawn elsewhere, or not at all.
HIDDEN = frozenset({"defs", "symbol", "clipPath", "mask", "pattern", "marker"})
# Attributes of a group apply to everything in it.
INHERITED = ("section", "kind", "grade", "row", "capacity", "name-ko", "name-en")
TOO_MANY = gettext_lazy("The drawing has more or deeper elements than any seat plan.")
COLUMNS = {"name-ko": "section_name_ko", "name-en": "section_name_en"}
SEAT_KEYS = ("number", "accessible", "companion")
FIRST_ROW = 40  # distance from the stage to the first seats


class BadSvg(Exception):
    """The document can't be read any further."""


@dataclass(slots=True)
class Shape:
    """A seat, or the box of a standing section, in the drawing's own units."""

    line: int
    values: dict[str, Any]
    x: float
    y: float
    width: float = 0
    height: float = 0
    title: str = ""


@dataclass(slots=True)
class Open:
    """An element whose end has not been read yet, with what its children inherit."""

    name: str
    inherited: dict[str, str] = field(default_factory=dict)
    transform: Transform = IDENTITY
    is_hidden: bool = False
    shape: Shape | None = None


def read_svg(text: str, problems: Problems) -> PlanDraft:
    reader = SvgReader()
    try:
        reader.parse(text)
    except BadSvg as refusal:
        problems.add(reader.line, "", refusal)
    except expat.ExpatError as error:
        message = expat.errors.messages[error.code]
        problems.add(error.lineno, "", _("can't be read as SVG: %(error)s") % {"error": message})
    if problems:
        return PlanDraft()
    builder = PlanBuilder(problems)
    for line, values in _records(reader.shapes):
        fields = Fields(line, values, problems)
        section = builder.section(fields)
        if section:
            builder.place(section, fields)
        if builder.is_full or problems.are_many:
            break
    return builder.draft()


class SvgReader:
    """Collects the shapes that are seats or standing sections."""

    def __init__(self) -> None:
        self.shapes: list[Shape] = []
        self.open = [Open("")]
        self.elements = 0
        self.parser = expat.ParserCreate()
        self.parser.StartDoctypeDeclHandler = self._refuse_doctype
        self.parser.StartElementHandler = self._start
        self.parser.EndElementHandler = self._end
        self.parser.CharacterDataHandler = self._text

    @property
    def line(self) -> int:
        return self.parser.CurrentLineNumber

    def parse(self, text: str) -> None:
        if text.count("<") > 2 * MOST_ELEMENTS:
            raise BadSvg(TOO_MANY)
        self.parser.Parse(text, True)

    def _refuse_doctype(self, *_declaration: Any) -> None:
        raise BadSvg(_("Save the drawing without a document type (DOCTYPE)."))

    def _start(self, tag: str, attributes: dict[str, str]) -> None:
        self.elements += 1
        if self.elements > MOST_ELEMENTS or len(self.open) > DEEPEST:
            raise BadSvg(TOO_MANY)
        name, parent = tag.rpartition(":")[2], self.open[-1]
        if self.elements == 1 and name != "svg":
            raise BadSvg(_("This is not an SVG drawing."))
        element = Open(name, parent.inherited, is_hidden=parent.is_hidden or name in HIDDEN)
        self.open.append(element)
        if element.is_hidden or name not in SHAPES | {"g", "svg", "a"}:
            return
        element.transform = parent.transform
        if "transform" in attributes:
            transform = read_transform(attributes["transform"])
            if transform is not None:
                element.transform = parent.transform.then(transform)
            if transform is None or not element.transform.is_usable:
                raise BadSvg(_("has a transform that can't be used"))
        element.inherited = _inherited(name, attributes, parent.inherited)
        if name in SHAPES and element.inherited.get("section"):
            element.shape = _shape(name, attributes, element, self.line)
            self.shapes.append(element.shape)

    def _end(self, _tag: str) -> None:
        self.open.pop()

    def _text(self, text: str) -> None:
        """The title of a seat is its row and number."""
        shape = self.open[-2].shape if len(self.open) > 1 else None
        if shape is not None and self.open[-1].name == "title" and len(shape.title) < MOST_TEXT:
            shape.title += text[:MOST_TEXT]


def _inherited(
    name: str, attributes: Mapping[str, str], inherited: dict[str, str]
) -> dict[str, str]:
    own = {key: attributes[f"data-{key}"] for key in INHERITED if f"data-{key}" in attributes}
    if name == "g" and "id" in attributes and not inherited.get("section"):
        own.setdefault("section", attributes["id"])
    return inherited | own if own else inherited


def _shape(name: str, attributes: Mapping[str, str], element: Open, line: int) -> Shape:
    """Its middle and size; a rectangle is given by its corner."""
    own = {key: attributes[f"data-{key}"] for key in SEAT_KEYS if f"data-{key}" in attributes}
    values = {**element.inherited, **own}
    if name != "rect":
        x, y = element.transform.apply(*_numbers(attributes, "cx", "cy"))
        return Shape(line, values, x, y)
    x, y, width, height = _numbers(attributes, "x", "y", "width", "height")
    left, top = element.transform.apply(x, y)
    right, bottom = element.transform.apply(x + width, y + height)
    size = abs(right - left), abs(bottom - top)
    return Shape(line, values, (left + right) / 2, (top + bottom) / 2, *size)


def _numbers(attributes: Mapping[str, str], *names: str) -> list[float]:
    numbers = [read_number(attributes[name]) if name in attributes else 0.0 for name in names]
    if None in numbers:
        raise BadSvg(_("has a position that is not a number"))
    return numbers  # type: ignore[return-value]


def _records(shapes: list[Shape]) -> Iterator[tuple[int, dict[str, Any]]]:
    """Each shape as a line of CSV, at our scale and below the stage."""
    seats = [shape for shape in shapes if shape.values.get("kind") != STANDING]
    for seat in seats:
        if seat.title:  # “3-12” is number 12 of row 3; attributes come first
            row, _dash, number = seat.title.strip().rpartition("-")
            if not seat.values.get("row"):
                seat.values["row"] = row.strip()
            if not seat.values.get("number"):
                seat.values["number"] = number.strip()
    scale = _scale(seats)
    top = min((shape.y - shape.height / 2 for shape in shapes), default=0.0)
    for shape in shapes:
        x, y = shape.x * scale, (shape.y - top) * scale + FIRST_ROW
        yield shape.line, _record(shape, x, y, scale)


def _record(shape: Shape, x: float, y: float, scale: float) -> dict[str, Any]:
    values = shape.values
    record: dict[str, Any] = {COLUMNS.get(key, key): value for key, value in values.items()}
    if values.get("kind") != STANDING:
        return record | {"x": round(x), "y": round(y)}
    width, height = shape.width * scale, shape.height * scale
    corner = {"x": round(x - width / 2), "y": round(y - height / 2)}
    return record | corner | {"width": max(1, round(width)), "height": max(1, round(height))}


def _scale(seats: list[Shape]) -> float:
    """What makes neighbours as far apart as in our own plans."""
    steps = [
        ((one.x - other.x) ** 2 + (one.y - other.y) ** 2) ** 0.5
        for one, other in pairwise(seats)
        if _row_of(one) == _row_of(other)
    ]
    usual = median(steps) if steps else 0.0
    return SEAT_STEP / usual if usual > 0 else 1.0


def _row_of(seat: Shape) -> tuple[str, str]:
    return seat.values.get("section", ""), seat.values.get("row", "")

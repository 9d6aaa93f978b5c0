"""The geometry of the report's charts, which the template draws as SVG; y runs downwards."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ticketing.rehearsal.simulator.report.figures import Figures, Points

WIDTH, HEIGHT = 440, 230
LEFT, RIGHT, TOP, BOTTOM = 46, 10, 20, 26
ROWS = 24  # of a chart's table
STEPS = (5, 10, 15, 30, 60, 120, 300, 600, 1200, 3600)
MARKS = 6
PAUSED = "‖"  # instead of a fault's letter


@dataclass(frozen=True)
class Band:
    x: float
    width: float
    letter: str
    label: str


@dataclass(frozen=True)
class Mark:
    """A label at a position on an axis."""

    at: float
    label: str


@dataclass(frozen=True)
class Curve:
    """`style` is a CSS class: curves differ by their dashes too, not by colour alone."""

    name: str
    points: list[tuple[float, float]]
    style: str

    @property
    def path(self) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


@dataclass(frozen=True)
class Chart:
    name: str
    title: str
    about: str
    unit: str
    curves: list[Curve]
    times: list[Mark]
    levels: list[Mark]
    bands: list[Band]
    dots: list[tuple[str, str]] = field(default_factory=list)
    head: list[str] = field(default_factory=list)
    rows: list[list[str]] = field(default_factory=list)

    @property
    def box(self) -> dict[str, float]:
        return {
            "left": LEFT, "right": WIDTH - RIGHT, "top": TOP, "bottom": HEIGHT - BOTTOM,
            "width": WIDTH, "height": HEIGHT,
        }  # fmt: skip


def charts_of(figures: Figures) -> list[Chart]:
    """The charts for which there is data."""
    latency = [
        (f"latency_{kind}", title, {_("half within"): it["p50"], _("95 % within"): it["p95"]})
        for kind, title in (
            ("queue", _("Answers of the queue")),
            ("holds", _("Answers to holds")),
            ("payment", _("Answers to payments")),
        )
        for it in [figures.latency.get(kind, {"p50": [], "p95": []})]
    ]
    it, people = figures, pgettext("unit of a chart", "people")
    charts = [
        _chart(it, "line", _("People in line"), people,
               {_("waiting"): it.line["waiting"], _("in the lobby"): it.line["lobby"]}),
        _chart(it, "admissions", _("People let in, over 5 s"), _("a second"),
               {_("called"): it.admissions["called"], _("the rate"): it.admissions["rate"]}),
        _chart(it, "inside", _("People inside"), people,
               {_("called or inside"): it.inside["called"], _("inside"): it.inside["inside"],
                _("the cap"): it.inside["cap"]}),
        _chart(it, "waits", _("Waiting time by arrival"), _("seconds"), {}, dots=it.waits),
        *(_chart(it, name, title, _("ms"), curves) for name, title, curves in latency),
        _chart(it, "sold", _("Seats sold"), _("per cent"), {_("sold"): it.sold}, most=100),
        _chart(it, "errors", _("Refused and failed calls"), _("calls"),
               {_("refused"): it.errors["refused"], _("no answer"): it.errors["silent"],
                _("server errors"): it.errors["errors"]}),
    ]  # fmt: skip
    return [chart for chart in charts if chart]


def _chart(
    figures: Figures,
    name: str,
    title: str,
    unit: str,
    curves: dict[str, Points],
    *,
    most: float | None = None,
    dots: Points | None = None,
) -> Chart | None:
    shown = {label: points for label, points in curves.items() if points}
    values = [value for points in (*shown.values(), dots or []) for _at, value in points]
    if not values:
        return None
    frame = Frame(figures.seconds, most or _round_up(max(values)))
    head, rows = _table(shown or {title: dots or []}, figures)
    values_shown = {"title": title, "unit": unit, "most": number(max(values))}
    return Chart(
        *(name, title, _("%(title)s, in %(unit)s, at most %(most)s.") % values_shown, unit),
        *(frame.curves(shown), _times(figures, frame), frame.levels(), _bands(figures, frame)),
        *([(f"{x:.1f}", f"{y:.1f}") for x, y in frame.points(dots or [])], head, rows),
    )


@dataclass(frozen=True)
class Frame:
    """Converts times and values to coordinates."""

    seconds: float
    highest: float

    def x(self, at: float) -> float:
        return LEFT + min(max(at / self.seconds, 0), 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - min(value / self.highest, 1) * (HEIGHT - BOTTOM - TOP)

    def points(self, points: Points) -> list[tuple[float, float]]:
        return [(self.x(at), self.y(value)) for at, value in points]

    def curves(self, curves: dict[str, Points]) -> list[Curve]:
        return [
            Curve(label, self.points(points), f"look-{place}")
            for place, (label, points) in enumerate(curves.items(), start=1)
        ]

    def levels(self) -> list[Mark]:
        quarters = [self.highest * n / 4 for n in range(5)]
        return [Mark(self.y(value), number(value)) for value in quarters]


def _table(curves: dict[str, Points], figures: Figures) -> tuple[list[str], list[list[str]]]:
    """The same as a table of a few rows, each with the highest value of its time."""
    span = figures.seconds / ROWS
    rows: dict[int, list[float | None]] = {}
    for column, points in enumerate(curves.values()):
        for at, value in points:
            row = rows.setdefault(min(int(at / span), ROWS - 1), [None] * len(curves))
            row[column] = max(value, row[column] or 0)
    cells = [[minutes_seconds(row * span), *map(number, rows[row])] for row in sorted(rows)]
    return [_("from"), *curves], cells


def _bands(figures: Figures, frame: Frame) -> list[Band]:
    spans = [(it.began, it.ended, it.letter, it.words) for it in figures.faults]
    spans += [(began, ended, PAUSED, _("The sale was paused")) for began, ended in figures.pauses]
    return [
        Band(frame.x(began), max(frame.x(ended) - frame.x(began), 2), letter, words)
        for began, ended, letter, words in sorted(spans)
    ]


def _times(figures: Figures, frame: Frame) -> list[Mark]:
    step = next((step for step in STEPS if figures.seconds / step <= MARKS), STEPS[-1])
    return [
        Mark(frame.x(at), minutes_seconds(at)) for at in range(0, int(figures.seconds) + 1, step)
    ]


def _round_up(value: float) -> float:
    """Four times the next 1, 2 or 5 with zeros; never 0."""
    size = 1
    while True:
        for tick in (1, 2, 5):
            if value <= tick * size * 4:
                return tick * size * 4
        size *= 10


def minutes_seconds(seconds: float) -> str:
    """Minutes and seconds: 1:05."""
    minutes, rest = divmod(round(max(seconds, 0)), 60)
    return f"{minutes}:{rest:02}"


def number(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.1f}"

"""Charts as plain geometry, which the page draws as SVG; y runs downwards, as on a screen."""

from dataclasses import dataclass, field
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import pgettext

from ticketing.core.charts import AxisMark, Curve
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
    words: str


@dataclass(frozen=True)
class Line:
    """A curve with its look: lines differ by their dashes too, not by colour alone."""

    curve: Curve
    look: str


@dataclass(frozen=True)
class Chart:
    name: str
    title: str
    about: str
    unit: str
    lines: list[Line]
    times: list[AxisMark]
    levels: list[AxisMark]
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


def charts_of(found: Figures) -> list[Chart]:
    """Those for which there is anything to draw."""
    latency = [
        (f"latency_{kind}", title, {_("half within"): it["p50"], _("95 % within"): it["p95"]})
        for kind, title in (
            ("queue", _("Answers of the queue")),
            ("holds", _("Answers to holds")),
            ("payment", _("Answers to payments")),
        )
        for it in [found.latency.get(kind, {"p50": [], "p95": []})]
    ]
    people = pgettext("unit of a chart", "people")
    drawn = [
        _chart(found, "line", _("People in line"), people,
               {_("waiting"): found.line["waiting"], _("in the lobby"): found.line["lobby"]}),
        _chart(found, "admissions", _("People let in, over 5 s"), _("a second"),
               {_("called"): found.admissions["called"], _("the rate"): found.admissions["rate"]}),
        _chart(found, "inside", _("People inside"), people,
               {_("called or inside"): found.inside["called"], _("inside"): found.inside["inside"],
                _("the cap"): found.inside["cap"]}),
        _chart(found, "waits", _("Waiting time by arrival"), _("seconds"), {}, dots=found.waits),
        *(_chart(found, name, title, _("ms"), curves) for name, title, curves in latency),
        _chart(found, "sold", _("Seats sold"), _("per cent"), {_("sold"): found.sold}, most=100),
        _chart(found, "errors", _("What was not answered with yes"), _("calls"),
               {_("refused"): found.errors["refused"], _("no answer"): found.errors["silent"],
                _("server errors"): found.errors["errors"]}),
    ]  # fmt: skip
    return [chart for chart in drawn if chart]


def _chart(
    found: Figures,
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
    frame = Frame(found.seconds, most or _round_up(max(values)))
    head, rows = _table(shown or {title: dots or []}, found)
    told = {"title": title, "unit": unit, "most": number(max(values))}
    return Chart(
        *(name, title, _("%(title)s, in %(unit)s, at most %(most)s.") % told, unit),
        *(frame.lines(shown), _times(found, frame), frame.levels(), _bands(found, frame)),
        *([(f"{x:.1f}", f"{y:.1f}") for x, y in frame.points(dots or [])], head, rows),
    )


@dataclass(frozen=True)
class Frame:
    """Where a moment and a value are on the picture."""

    seconds: float
    highest: float

    def x(self, at: float) -> float:
        return LEFT + min(max(at / self.seconds, 0), 1) * (WIDTH - LEFT - RIGHT)

    def y(self, value: float) -> float:
        return HEIGHT - BOTTOM - min(value / self.highest, 1) * (HEIGHT - BOTTOM - TOP)

    def points(self, points: Points) -> list[tuple[float, float]]:
        return [(self.x(at), self.y(value)) for at, value in points]

    def lines(self, curves: dict[str, Points]) -> list[Line]:
        return [
            Line(Curve(label, self.points(points)), f"look-{place}")
            for place, (label, points) in enumerate(curves.items(), start=1)
        ]

    def levels(self) -> list[AxisMark]:
        quarters = [self.highest * n / 4 for n in range(5)]
        return [AxisMark(self.y(value), number(value)) for value in quarters]


def _table(curves: dict[str, Points], found: Figures) -> tuple[list[str], list[list[str]]]:
    """The same in a few lines, for who can't see the picture: each the highest of its time."""
    span = found.seconds / ROWS
    rows: dict[int, list[float | None]] = {}
    for column, points in enumerate(curves.values()):
        for at, value in points:
            row = rows.setdefault(min(int(at / span), ROWS - 1), [None] * len(curves))
            row[column] = max(value, row[column] or 0)
    told = [[clock(row * span), *map(number, rows[row])] for row in sorted(rows)]
    return [_("from"), *curves], told


def _bands(found: Figures, frame: Frame) -> list[Band]:
    spans = [(it.began, it.ended, it.letter, it.words) for it in found.faults]
    spans += [(began, ended, PAUSED, _("The sale was paused")) for began, ended in found.pauses]
    return [
        Band(frame.x(began), max(frame.x(ended) - frame.x(began), 2), letter, words)
        for began, ended, letter, words in sorted(spans)
    ]


def _times(found: Figures, frame: Frame) -> list[AxisMark]:
    step = next((step for step in STEPS if found.seconds / step <= MARKS), STEPS[-1])
    return [AxisMark(frame.x(at), clock(at)) for at in range(0, int(found.seconds) + 1, step)]


def _round_up(value: float) -> float:
    """The next 1, 2 or 5 with zeros, four times; a frame is never without height."""
    size = 1
    while True:
        for tick in (1, 2, 5):
            if value <= tick * size * 4:
                return tick * size * 4
        size *= 10


def clock(seconds: float) -> str:
    """1:05, as on a stopwatch."""
    minutes, rest = divmod(round(max(seconds, 0)), 60)
    return f"{minutes}:{rest:02}"


def number(value: Any) -> str:
    if value is None:
        return "–"
    return f"{value:,.0f}" if value >= 100 or value == int(value) else f"{value:,.1f}"

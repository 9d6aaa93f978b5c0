"""Charts as plain geometry, drawn by the page as SVG and by the paper as vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from ticketing.console.reporting.report import Report

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 76, 12, 12, 30
TICKS = (1, 2, 5)
MARKS = 5


@dataclass(frozen=True)
class Curve:
    name: str
    points: list[tuple[float, float]]

    @property
    def path(self) -> str:
        return " ".join(f"{x:.1f},{y:.1f}" for x, y in self.points)


@dataclass(frozen=True)
class Mark:
    at: float
    words: str


@dataclass(frozen=True)
class Chart:
    """Curves in a frame, with marks below and beside; y runs downwards, as on a screen."""

    title: str
    curves: list[Curve]
    times: list[Mark]
    levels: list[Mark]

    @property
    def box(self) -> tuple[int, int, int, int]:
        return LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM


def charts_of(report: Report) -> list[Chart]:
    """The line, and the share of each grade that was sold; without data there is no chart."""
    line, sold = report.course.points, report.sales.points
    grades = {grade.code: grade for grade in report.sales.grades if grade.seats}
    shares = {
        grade.name: [100 * counts.get(code, 0) / grade.seats for _, counts in sold]
        for code, grade in grades.items()
    }
    sizes: dict[str, list[float]] = {
        _("Waiting"): [waiting for _, waiting, _ in line],
        _("Inside"): [inside for _, _, inside in line],
    }
    found = [
        _chart(_("People in line and inside"), [at for at, *_ in line], sizes),
        _chart(_("Seats sold by grade, in per cent"), [at for at, _ in sold], shares, most=100),
    ]
    return [chart for chart in found if chart]


def _chart(
    title: str,
    times: Sequence[datetime],
    curves: dict[str, list[float]],
    *,
    most: float | None = None,
) -> Chart | None:
    if not times or not curves:
        return None
    highest = most or _round_up(max(max(values) for values in curves.values()))
    began, ended = times[0], times[-1]
    across = [_x((at - began) / (ended - began) if ended > began else 0) for at in times]
    drawn = [
        Curve(name, [(x, _y(value / highest)) for x, value in zip(across, values, strict=True)])
        for name, values in curves.items()
    ]
    levels = [Mark(_y(n / 4), f"{highest * n / 4:,.6g}") for n in range(5)]
    return Chart(title, drawn, _times(began, ended), levels)


def _times(began: datetime, ended: datetime) -> list[Mark]:
    """Seconds only where a minute is long, and the day where there are several."""
    span = ended - began
    form = "%H:%M:%S" if span < timedelta(minutes=5) else "%H:%M"
    form = "%m-%d %H:%M" if span > timedelta(days=1) else form
    shares = [n / (MARKS - 1) for n in range(MARKS)] if span else [0.0]
    return [Mark(_x(share), f"{localtime(began + share * span):{form}}") for share in shares]


def _round_up(value: float) -> float:
    """The next 1, 2 or 5 with zeros; a frame is never without height."""
    size = 1
    while True:
        for tick in TICKS:
            if value <= tick * size * 4:
                return tick * size * 4
        size *= 10


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

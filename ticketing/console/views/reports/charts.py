"""The charts of a report as plain geometry: the page draws them as SVG, the PDF as vectors."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.utils.timezone import localtime
from django.utils.translation import gettext as _

from ticketing.console.selectors.report import SaleReport
from ticketing.core.charts import AxisMark, Curve

WIDTH, HEIGHT = 640, 220
LEFT, RIGHT, TOP, BOTTOM = 76, 12, 12, 30
ROUND_STEPS = (1, 2, 5)
TIME_MARKS = 5


@dataclass(frozen=True)
class Chart:
    """Curves in a frame, with marks below (times) and beside (levels); y runs downwards."""

    title: str
    curves: list[Curve]
    times: list[AxisMark]
    levels: list[AxisMark]

    @property
    def box(self) -> tuple[int, int, int, int]:
        return LEFT, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM


def report_charts(report: SaleReport) -> list[Chart]:
    """Queue size, and the share of each grade that was sold; a chart without data is left out."""
    sizes, sold = report.queue_sizes.points, report.sales.points
    grades = {grade.code: grade for grade in report.sales.grades if grade.seats}
    shares = {
        grade.name: [100 * counts.get(code, 0) / grade.seats for _, counts in sold]
        for code, grade in grades.items()
    }
    people: dict[str, list[float]] = {
        _("Waiting"): [waiting for _, waiting, _ in sizes],
        _("Inside"): [inside for _, _, inside in sizes],
    }
    charts = [
        _chart(_("People in line and inside"), [at for at, *_ in sizes], people),
        _chart(_("Seats sold by grade, in per cent"), [at for at, _ in sold], shares, top=100),
    ]
    return [chart for chart in charts if chart]


def _chart(
    title: str,
    times: Sequence[datetime],
    curves: dict[str, list[float]],
    *,
    top: float | None = None,
) -> Chart | None:
    if not times or not curves:
        return None
    highest = top or _round_up(max(max(values) for values in curves.values()))
    began, ended = times[0], times[-1]
    xs = [_x((at - began) / (ended - began) if ended > began else 0) for at in times]
    drawn = [
        Curve(name, [(x, _y(value / highest)) for x, value in zip(xs, values, strict=True)])
        for name, values in curves.items()
    ]
    levels = [AxisMark(_y(n / 4), f"{highest * n / 4:,.6g}") for n in range(5)]
    return Chart(title, drawn, _time_marks(began, ended), levels)


def _time_marks(began: datetime, ended: datetime) -> list[AxisMark]:
    """With seconds if the sale was short, with the date if it took more than a day."""
    span = ended - began
    pattern = "%H:%M:%S" if span < timedelta(minutes=5) else "%H:%M"
    pattern = "%m-%d %H:%M" if span > timedelta(days=1) else pattern
    shares = [n / (TIME_MARKS - 1) for n in range(TIME_MARKS)] if span else [0.0]
    return [AxisMark(_x(share), f"{localtime(began + share * span):{pattern}}") for share in shares]


def _round_up(value: float) -> float:
    """The next four steps of 1, 2 or 5 times a power of ten; never 0."""
    size = 1
    while True:
        for step in ROUND_STEPS:
            if value <= step * size * 4:
                return step * size * 4
        size *= 10


def _x(share: float) -> float:
    return LEFT + share * (WIDTH - LEFT - RIGHT)


def _y(share: float) -> float:
    return HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)

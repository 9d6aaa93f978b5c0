"""The report as CSV: one figure per row, so that any program can pick what it needs."""

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.utils.timezone import localtime

from ticketing.console.selectors.report import SaleReport
from ticketing.core.spreadsheets import BOM, without_formula

HEAD = ("part", "time", "item", "measure", "value")
Row = tuple[str, datetime | None, str, str, Any]


def render_csv(report: SaleReport) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEAD)
    for part, at, item, measure, value in _rows(report):
        when = localtime(at).isoformat(timespec="seconds") if at else ""
        writer.writerow([part, when, without_formula(item), measure, without_formula(value)])
    return BOM + out.getvalue()


def _rows(report: SaleReport) -> Iterator[Row]:
    yield "sale", None, "event", "id", report.event.pk
    yield "sale", None, "event", "title", str(report.event)
    yield "sale", report.made_at, "report", "final", int(report.is_final)
    yield from _people(report)
    yield from _queue_sizes(report)
    yield from _seats(report)
    yield from _money(report)
    yield from _fairness(report)


def _people(report: SaleReport) -> Iterator[Row]:
    yield "funnel", None, "lobby", "people", report.funnel_counts.lobby
    for step, people in report.funnel:
        yield "funnel", None, step, "people", people
    yield "no-shows", None, "called, never came in", "people", report.funnel_counts.no_shows
    for name, stats in report.durations.items():
        for measure, value in vars(stats).items() if stats else ():
            rounded = value if measure == "count" else round(value, 3)
            yield "seconds", None, name, measure, rounded
    for stage, outcomes in report.outcomes.items():
        for outcome, count in outcomes.items():
            yield "endings", None, stage, outcome or "still there", count


def _queue_sizes(report: SaleReport) -> Iterator[Row]:
    yield "line", None, "most", "waiting", report.queue_sizes.max_waiting
    yield "line", None, "most", "inside", report.queue_sizes.max_inside
    for at, waiting, inside in report.queue_sizes.points:
        yield "line", at, "size", "waiting", waiting
        yield "line", at, "size", "inside", inside


def _seats(report: SaleReport) -> Iterator[Row]:
    for grade in report.sales.grades:
        for measure in ("seats", "sold", "given_back"):
            yield "grades", None, grade.code, measure, getattr(grade, measure)
    for at, counts in report.sales.points:
        for grade in report.sales.grades:
            yield "sales", at, grade.code, "sold", counts.get(grade.code, 0)


def _money(report: SaleReport) -> Iterator[Row]:
    for measure, value in vars(report.refunds).items():
        yield "refunds", None, "refunds", measure, value
    if report.revenue:
        for measure in ("charged", "refunded", "fees", "net"):
            yield "money", None, report.event.currency, measure, getattr(report.revenue, measure)


def _fairness(report: SaleReport) -> Iterator[Row]:
    fair = report.fairness
    for name, order in (("calls", fair.calls), ("came in", fair.entries)):
        yield "fairness", None, name, "compared", order.turns
        yield "fairness", None, name, "inversions", order.inversions
    if fair.lobby:
        for measure in ("people", "numbered", "misplaced"):
            yield "fairness", None, "lobby", measure, getattr(fair.lobby, measure)
        yield "fairness", None, "lobby", "draw checked", int(fair.lobby.is_correct)
    for lane in fair.lanes:
        for measure in ("weight", "called", "wanted", "got"):
            yield "lanes", None, lane.name, measure, getattr(lane, measure)

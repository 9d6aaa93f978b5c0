"""The report as a table file: one figure a row, so that any program can pick what it wants."""

import csv
import io
from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.utils.timezone import localtime

from ticketing.console.reporting.report import Report

HEAD = ("part", "time", "item", "measure", "value")
BOM = "\ufeff"  # spreadsheets take it for UTF-8 then, and Korean stays Korean
# A cell that begins like this would be run as a formula.
FORMULAS = ("=", "+", "-", "@", "\t", "\r")
Row = tuple[str, datetime | None, str, str, Any]


def csv_of(report: Report) -> str:
    out = io.StringIO()
    writer = csv.writer(out)
    writer.writerow(HEAD)
    for part, at, item, measure, value in _rows(report):
        when = localtime(at).isoformat(timespec="seconds") if at else ""
        writer.writerow([part, when, safe(item), measure, safe(value)])
    return BOM + out.getvalue()


def safe(value: Any) -> Any:
    risky = isinstance(value, str) and value.startswith(FORMULAS)
    return f"'{value}" if risky else value


def _rows(report: Report) -> Iterator[Row]:
    yield "sale", None, "event", "id", report.event.pk
    yield "sale", None, "event", "title", str(report.event)
    yield "sale", report.made_at, "report", "final", int(report.is_final)
    yield from _people(report)
    yield from _line(report)
    yield from _seats(report)
    yield from _money(report)
    yield from _fairness(report)


def _people(report: Report) -> Iterator[Row]:
    yield "funnel", None, "lobby", "people", report.reached.lobby
    for step, people in report.funnel:
        yield "funnel", None, step, "people", people
    yield "no-shows", None, "called, never came in", "people", report.reached.no_shows
    for name, span in report.spans.items():
        for measure, value in vars(span).items() if span else ():
            shown = value if measure == "count" else round(value, 3)
            yield "seconds", None, name, measure, shown
    for stage, endings in report.endings.items():
        for ending, count in endings.items():
            yield "endings", None, stage, ending or "still there", count


def _line(report: Report) -> Iterator[Row]:
    yield "line", None, "most", "waiting", report.course.most_waiting
    yield "line", None, "most", "inside", report.course.most_inside
    for at, waiting, inside in report.course.points:
        yield "line", at, "size", "waiting", waiting
        yield "line", at, "size", "inside", inside


def _seats(report: Report) -> Iterator[Row]:
    for grade in report.sales.grades:
        for measure in ("seats", "sold", "given_back"):
            yield "grades", None, grade.code, measure, getattr(grade, measure)
    for at, counts in report.sales.points:
        for grade in report.sales.grades:
            yield "sales", at, grade.code, "sold", counts.get(grade.code, 0)


def _money(report: Report) -> Iterator[Row]:
    for measure, value in vars(report.refunds).items():
        yield "refunds", None, "refunds", measure, value
    if report.money:
        for measure in ("charged", "refunded", "fees", "net"):
            yield "money", None, report.event.currency, measure, getattr(report.money, measure)


def _fairness(report: Report) -> Iterator[Row]:
    fair = report.fairness
    for name, order in (("calls", fair.calls), ("came in", fair.entries)):
        yield "fairness", None, name, "compared", order.turns
        yield "fairness", None, name, "inversions", order.inversions
    if fair.lobby:
        for measure in ("people", "numbered", "misplaced"):
            yield "fairness", None, "lobby", measure, getattr(fair.lobby, measure)
        yield "fairness", None, "lobby", "draw checked", int(fair.lobby.holds)

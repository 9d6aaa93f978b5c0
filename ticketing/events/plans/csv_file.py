"""Reads CSV: one line per seat, one line per standing section (docs/seat-plans.md)."""

import csv
import io
from collections.abc import Iterator

from django.utils.translation import gettext as _

from ticketing.events.plans.builder import PlanBuilder
from ticketing.events.plans.draft import MAX_SEATS, PlanDraft
from ticketing.events.plans.errors import Problems
from ticketing.events.plans.fields import Fields

COLUMNS = (
    *("section", "row", "number", "x", "y", "grade", "accessible", "companion"),
    *("section_name_ko", "section_name_en", "kind", "capacity", "width", "height"),
)
LONGEST_LINE = 10_000
MOST_LINES = 10 * MAX_SEATS  # most of them empty
MOST_COLUMNS = 100  # some are empty, at the end of a spreadsheet
Record = tuple[int, list[str]]


def read_csv(text: str, problems: Problems) -> PlanDraft:
    records = _records(text, problems)
    line, cells = next(records, (1, []))
    columns = [cell.strip().lower() for cell in cells]
    _check_header(line, columns, problems)
    if problems:
        return PlanDraft()
    builder = PlanBuilder(problems)
    for count, (line, cells) in enumerate(records, start=1):
        _read_record(line, columns, cells, builder)
        if builder.is_full or problems.are_many:
            break
        if count > MAX_SEATS:
            builder.add_too_many_seats(line)
            break
    return builder.draft()


def _records(text: str, problems: Problems) -> Iterator[Record]:
    """The non-empty records, each with the line number on which it begins."""
    # Korean and European spreadsheets also write semicolons and tabs.
    header = text.lstrip()[:LONGEST_LINE].split("\n", 1)[0]
    reader = csv.reader(_lines(text), delimiter=max(",;\t", key=header.count), strict=True)
    line = 1
    try:
        for cells in reader:
            if any(cell.strip() for cell in cells):
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as error:
        problems.add(line, "", _("can't be read as CSV: %(error)s") % {"error": error})


def _lines(text: str) -> Iterator[str]:
    """A line of millions of cells would take hundreds of megabytes, millions of lines seconds."""
    for number, line in enumerate(io.StringIO(text, newline="")):
        if len(line) > LONGEST_LINE:
            raise csv.Error(_("the line is too long"))
        if number > MOST_LINES:
            raise csv.Error(_("The file has more lists, values or lines than any seat plan."))
        yield line


def _check_header(line: int, columns: list[str], problems: Problems) -> None:
    if len(columns) > MOST_COLUMNS:
        problems.add(line, "", _("The file has more columns than any seat plan."))
        return
    for number, column in enumerate(columns):
        if column and column not in COLUMNS:
            problems.add(line, column[:40], _("is not a column that we know"))
        elif column and column in columns[:number]:
            problems.add(line, column, _("is there twice"))
    needed = ["section", "grade"] + (["row", "number"] if "capacity" not in columns else [])
    for column in needed:
        if column not in columns:
            problems.add(line, column, _("is missing: the first line names the columns"))


def _read_record(line: int, columns: list[str], cells: list[str], builder: PlanBuilder) -> None:
    fields = Fields(line, dict(zip(columns, cells, strict=False)), builder.problems)
    if any(cell.strip() for cell in cells[len(columns) :]):
        fields.add_problem("", _("has more cells than the first line has columns"))
    section_builder = builder.section(fields)
    if section_builder:
        builder.place(section_builder, fields)

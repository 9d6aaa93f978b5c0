"""The results as a text table."""

from collections.abc import Sequence
from unicodedata import east_asian_width

from django.utils.translation import gettext as _

from reservations.lab import labels
from reservations.lab.results import RaceResult

WIDE = "WF"


def lines(results: Sequence[RaceResult]) -> list[str]:
    """Text is aligned left, numbers right."""
    rows = [headings(), *(cells(result) for result in results)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths) for row in rows]


def headings() -> list[str]:
    return [
        *(_("Strategy"), _("Buyers"), _("Successes"), _("Failures"), _("Rows"), _("Duplicates")),
        *(_("Total time"), _("Losers p50"), _("Losers p99"), _("Database time"), _("Statements")),
        *(_("Other pages p99"), _("Verdict")),
    ]


def cells(result: RaceResult) -> list[str]:
    counts = (len(result.attempts), result.successes, result.failures, len(result.sales))
    return [
        labels.name(result),
        *map(str, (*counts, result.duplicates)),
        labels.milliseconds(result.seconds),
        *(labels.losers(result, share) for share in (50, 99)),
        labels.milliseconds(result.database_cost.seconds),
        str(result.database_cost.statements),
        labels.other_pages(result),
        labels.verdict(result),
    ]


def width(cell: str) -> int:
    """Width in terminal columns, where a Korean letter takes two."""
    return sum(2 if east_asian_width(letter) in WIDE else 1 for letter in cell)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    last = len(row) - 1
    padded = [
        cell + gap if place in (0, last) else gap + cell
        for place, (cell, most) in enumerate(zip(row, widths, strict=True))
        for gap in [" " * (most - width(cell))]
    ]
    return "  ".join(padded).rstrip()

"""The results as text in columns, as S3 prints them."""

from collections.abc import Sequence
from unicodedata import east_asian_width

from django.utils.translation import gettext as _

from reservations.lab import words
from reservations.lab.results import Result

WIDE = "WF"


def lines(results: Sequence[Result]) -> list[str]:
    """Words to the left, numbers to the right."""
    rows = [heads(), *(cells(result) for result in results)]
    widths = [max(map(width, column)) for column in zip(*rows, strict=True)]
    return [_line(row, widths) for row in rows]


def heads() -> list[str]:
    return [
        *(_("Strategy"), _("Buyers"), _("Successes"), _("Failures"), _("Rows"), _("Duplicates")),
        *(_("Total time"), _("Losers p50"), _("Losers p99"), _("Database time"), _("Statements")),
        *(_("Other pages p99"), _("Verdict")),
    ]


def cells(result: Result) -> list[str]:
    counts = (len(result.attempts), result.successes, result.failures, len(result.sales))
    return [
        words.name(result),
        *map(str, (*counts, result.duplicates)),
        words.milliseconds(result.seconds),
        *(words.losers(result, share) for share in (50, 99)),
        words.milliseconds(result.ledger.seconds),
        str(result.ledger.statements),
        words.other_pages(result),
        words.verdict(result),
    ]


def width(cell: str) -> int:
    """In columns of a terminal, where a Korean letter takes two."""
    return sum(2 if east_asian_width(letter) in WIDE else 1 for letter in cell)


def _line(row: Sequence[str], widths: Sequence[int]) -> str:
    last = len(row) - 1
    padded = [
        cell + gap if place in (0, last) else gap + cell
        for place, (cell, most) in enumerate(zip(row, widths, strict=True))
        for gap in [" " * (most - width(cell))]
    ]
    return "  ".join(padded).rstrip()

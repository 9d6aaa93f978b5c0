"""The QR code of a ticket."""

import re
from functools import cache
from io import BytesIO

import segno

from reservations.models import Ticket
from reservations.tickets.qr_patterns import QrPatterns
from reservations.tickets.signing import qr_text

# Readable with 15 % of it damaged.
CORRECTION = "m"
BORDER = 4
# Any mask can be read. Choosing the best of the eight takes five times as long as the rest, and a
# signature looks random under each of them.
MASK = 0
BLACK = re.compile("1+")


def qr_svg(ticket: Ticket) -> bytes:
    """Black on white, also on a dark page."""
    out = BytesIO()
    drawn = segno.make(qr_text(ticket), error=CORRECTION, micro=False, mask=MASK)
    drawn.save(out, kind="svg", border=BORDER, scale=8, light="#fff", xmldecl=False, omitsize=True)
    return out.getvalue()


def qr_runs(ticket: Ticket) -> tuple[int, list[tuple[int, int, int]]]:
    """Width in squares, border included, and the runs of black ones: x, y, length."""
    text = qr_text(ticket).encode()
    patterns = _patterns(len(text))
    row = patterns.across + 1
    runs = [
        (BORDER + run.start() % row, BORDER + run.start() // row, len(run[0]))
        for run in BLACK.finditer(patterns.squares(text))
    ]
    return patterns.across + 2 * BORDER, runs


@cache
def _patterns(length: int) -> QrPatterns:
    return QrPatterns(length, error=CORRECTION, mask=MASK)

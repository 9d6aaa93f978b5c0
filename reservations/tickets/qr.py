"""The QR code of a ticket."""

import re
from io import BytesIO

import segno

from reservations.models import Ticket
from reservations.tickets.signing import qr_text

# Readable with 15 % of it damaged.
CORRECTION = "m"
BORDER = 4
# Any mask can be read. Choosing the best of the eight takes five times as long as the rest, and a
# signature looks random under each of them.
MASK = 0
BLACK = re.compile(rb"\x01+")


def qr_svg(ticket: Ticket) -> bytes:
    """Black on white, also on a dark page."""
    out, drawn = BytesIO(), _code(ticket)
    drawn.save(out, kind="svg", border=BORDER, scale=8, light="#fff", xmldecl=False, omitsize=True)
    return out.getvalue()


def qr_runs(ticket: Ticket) -> tuple[int, list[tuple[int, int, int]]]:
    """Width in squares, border included, and the runs of black ones: x, y, length."""
    rows = _code(ticket).matrix
    runs = [
        (BORDER + run.start(), BORDER + y, len(run[0]))
        for y, row in enumerate(rows)
        for run in BLACK.finditer(row)
    ]
    return len(rows) + 2 * BORDER, runs


def _code(ticket: Ticket) -> segno.QRCode:
    return segno.make(qr_text(ticket), error=CORRECTION, micro=False, mask=MASK)

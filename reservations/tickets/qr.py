"""The QR code of a ticket."""

from io import BytesIO

import segno

from reservations.models import Ticket
from reservations.tickets.signing import qr_text

# Readable with 15 % of it damaged.
CORRECTION = "m"
BORDER = 4


def qr_svg(ticket: Ticket) -> bytes:
    """Black on white, also on a dark page."""
    out = BytesIO()
    drawn = segno.make(qr_text(ticket), error=CORRECTION, micro=False)
    drawn.save(out, kind="svg", border=BORDER, scale=8, light="#fff", xmldecl=False, omitsize=True)
    return out.getvalue()


def qr_squares(ticket: Ticket) -> tuple[int, list[tuple[int, int]]]:
    """Width in squares, border included, and the positions of the black ones."""
    drawn = segno.make(qr_text(ticket), error=CORRECTION, micro=False)
    rows = [list(row) for row in drawn.matrix_iter(border=BORDER)]
    return len(rows), [(x, y) for y, row in enumerate(rows) for x, dark in enumerate(row) if dark]

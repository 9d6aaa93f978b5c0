"""The QR code of a ticket."""

import re
from functools import cache

from reservations.models import Ticket
from reservations.tickets.qr_patterns import QrPatterns
from reservations.tickets.signing import qr_text

# Readable with 15 % of it damaged.
CORRECTION = "m"
BORDER = 4
# Any mask can be read. Choosing the best of the eight takes five times as long as the rest, and a
# signature looks random under each of them.
MASK = 0
SCALE = 8
BLACK = re.compile("1+")


def qr_svg(ticket: Ticket) -> bytes:
    """Black on white, also on a dark page."""
    across, runs = qr_runs(ticket)
    steps: list[str] = []
    x = y = 0
    for left, top, length in runs:  # the pen stands where the run before ended
        steps.append(f"m{left - x} {top - y}h{length}" if steps else f"M{left} {top}.5h{length}")
        x, y = left + length, top
    side = across * SCALE
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {side} {side}" class="segno">'
        f'<g transform="scale({SCALE})"><path fill="#fff" d="M0 0h{across}v{across}h-{across}z"/>'
        f'<path class="qrline" stroke="#000" d="{"".join(steps)}"/></g></svg>\n'
    ).encode()


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

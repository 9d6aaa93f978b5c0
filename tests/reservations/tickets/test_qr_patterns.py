"""The quick way to draw a QR code gives the very code that segno draws."""

from io import BytesIO
from secrets import token_urlsafe

import pytest
import segno

from reservations.tickets import qr
from reservations.tickets.qr_patterns import QrPatterns
from reservations.tickets.signing import MAX_LENGTH, qr_text


def drawn_by_segno(text):
    rows = segno.make(text, error=qr.CORRECTION, micro=False, mask=qr.MASK).matrix
    return "".join("".join(map(str, row)) + "0" for row in rows)


@pytest.mark.parametrize("length", [30, 80, 104, 105, 106, 107, 115, 130, 160, MAX_LENGTH])
def test_it_is_the_same_code_for_every_length_that_a_ticket_may_have(length):
    patterns = QrPatterns(length, error=qr.CORRECTION, mask=qr.MASK)

    for _ in range(5):
        text = token_urlsafe(MAX_LENGTH)[:length]
        assert patterns.squares(text.encode()) == drawn_by_segno(text)


def test_control_another_bit_is_another_code():
    patterns = QrPatterns(105, error=qr.CORRECTION, mask=qr.MASK)

    assert patterns.squares(b"A" * 105) != drawn_by_segno("A" * 104 + "B")


def test_the_runs_are_the_black_squares(ticket):
    drawn = segno.make(qr_text(ticket), error=qr.CORRECTION, micro=False, mask=qr.MASK)
    rows = list(drawn.matrix_iter(border=qr.BORDER))

    across, runs = qr.qr_runs(ticket)

    black = {(x + n, y) for x, y, length in runs for n in range(length)}
    assert across == len(rows)
    assert black == {(x, y) for y, row in enumerate(rows) for x, dark in enumerate(row) if dark}


def test_the_picture_is_the_one_that_segno_writes(ticket):
    drawn, out = segno.make(qr_text(ticket), error="m", micro=False, mask=qr.MASK), BytesIO()
    drawn.save(out, kind="svg", border=4, scale=8, light="#fff", xmldecl=False, omitsize=True)

    assert qr.qr_svg(ticket) == out.getvalue()

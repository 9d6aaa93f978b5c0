"""Tickets as PDF, a page each, in a typeface with Korean."""

from collections.abc import Sequence
from functools import cache
from html import escape
from io import BytesIO
from pathlib import Path

from django.utils.translation import get_language
from django.utils.translation import gettext as _
from reportlab.lib.colors import HexColor
from reportlab.lib.pagesizes import A5
from reportlab.lib.styles import ParagraphStyle
from reportlab.lib.units import mm
from reportlab.pdfbase.pdfmetrics import registerFont
from reportlab.pdfbase.ttfonts import TTFont
from reportlab.pdfgen.canvas import Canvas
from reportlab.platypus import Paragraph

from reservations.models import Ticket
from reservations.tickets.labels import code_label, seat_label
from reservations.tickets.qr import qr_squares
from ticketing.core.venue_time import venue_time

FONTS = Path(__file__).parent / "fonts"
WIDTH, HEIGHT = A5
MARGIN = 14 * mm
INNER = WIDTH - 2 * MARGIN
LARGEST_QR = 92 * mm
FOOT = 40 * mm
OVERLAP = 1.06
INK, SOFT, BRAND = HexColor("#10201b"), HexColor("#4b5b54"), HexColor("#0a5a49")


def tickets_pdf(tickets: Sequence[Ticket]) -> bytes:
    _load_fonts()
    out = BytesIO()
    canvas = Canvas(out, pagesize=A5)
    canvas.setTitle(str(tickets[0].event))
    for ticket in tickets:
        _draw_page(canvas, ticket)
        canvas.showPage()
    canvas.save()
    return out.getvalue()


def _draw_page(canvas: Canvas, ticket: Ticket) -> None:
    event, venue = ticket.event, ticket.event.plan.venue
    canvas.setFillColor(BRAND)
    canvas.rect(0, HEIGHT - 5 * mm, WIDTH, 5 * mm, stroke=0, fill=1)
    top = HEIGHT - 14 * mm
    top = _write(canvas, event.title, top, size=19, bold=True)
    top = _write(canvas, venue_time(event.starts_at, venue.time_zone), top - 2 * mm, size=11)
    where = " · ".join(filter(None, [venue.name, venue.address]))
    top = _write(canvas, where, top, size=9, soft=True)
    top = _pairs(canvas, ticket, top - 4 * mm)
    size = min(LARGEST_QR, top - FOOT)
    _qr(canvas, ticket, (WIDTH - size) / 2, top - size, size)
    _foot(canvas, ticket, top - size)


def _pairs(canvas: Canvas, ticket: Ticket, top: float) -> float:
    """Seat and name, large: people look for the seat on their way in."""
    seat = f"{seat_label(ticket)} · {ticket.seat.grade.name}"
    for label, words in ((_("Seat"), seat), (_("Name"), ticket.name)):
        top = _write(canvas, label, top, size=8, soft=True)
        top = _write(canvas, words, top + 1 * mm, size=13, bold=True) - 1 * mm
    return top


def _foot(canvas: Canvas, ticket: Ticket, top: float) -> None:
    doors = venue_time(ticket.event.doors_at, ticket.event.plan.venue.time_zone)
    lines = [
        _("Doors open: %(when)s") % {"when": doors},
        _("Valid once. Copies are not accepted: only the first scan counts."),
        _("Order %(order)s · ticket no. %(serial)s")
        % {"order": ticket.reservation.code, "serial": ticket.serial},
    ]
    top = _write(canvas, code_label(ticket.code), top, size=16, bold=True, centred=True) - 4 * mm
    for line in lines:
        top = _write(canvas, line, top, size=8, soft=True, centred=True)


def _write(
    canvas: Canvas,
    words: str,
    top: float,
    *,
    size: int,
    bold: bool = False,
    soft: bool = False,
    centred: bool = False,
) -> float:
    """Write a paragraph within the margins; returns the top of the next line."""
    korean = not (get_language() or "").startswith("en")
    style = ParagraphStyle(
        "ticket",
        fontName="Pretendard-Bold" if bold else "Pretendard",
        fontSize=size,
        leading=size * 1.35,
        textColor=SOFT if soft else INK,
        alignment=1 if centred else 0,
        wordWrap="CJK" if korean else None,
    )
    paragraph = Paragraph(escape(words), style)
    _, height = paragraph.wrap(INNER, HEIGHT)
    paragraph.drawOn(canvas, MARGIN, top - height)
    return top - height


def _qr(canvas: Canvas, ticket: Ticket, left: float, bottom: float, size: float) -> None:
    """Squares overlap slightly, so that no hairlines appear between them."""
    across, squares = qr_squares(ticket)
    side = size / across
    canvas.setFillColor(HexColor("#000000"))
    for x, y in squares:
        place = (left + x * side, bottom + size - (y + 1) * side)
        canvas.rect(*place, side * OVERLAP, side * OVERLAP, stroke=0, fill=1)


@cache
def _load_fonts() -> None:
    """Once per process: loading takes longer than drawing a page."""
    registerFont(TTFont("Pretendard", str(FONTS / "Pretendard-Regular.ttf")))
    registerFont(TTFont("Pretendard-Bold", str(FONTS / "Pretendard-Bold.ttf")))

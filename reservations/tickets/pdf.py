"""Tickets as PDF, a page each, in a typeface with Korean."""

from collections.abc import Iterator, Sequence
from functools import cache
from itertools import chain
from pathlib import Path
from string import ascii_uppercase, digits

from django.utils.translation import get_language
from django.utils.translation import gettext as _

from reservations.models import Ticket
from reservations.tickets.labels import code_label, seat_and_grade_label
from reservations.tickets.pdf_file import Page, PdfFile, Text
from reservations.tickets.qr import qr_runs
from reservations.tickets.typeface import Typeface
from ticketing.core.venue_time import venue_time

FONTS = Path(__file__).parent / "fonts"
MM = 72 / 25.4
WIDTH, HEIGHT = 148 * MM, 210 * MM  # A5
MARGIN = 14 * MM
INNER = WIDTH - 2 * MARGIN
LARGEST_QR = 92 * MM
FOOT = 40 * MM
LEADING = 1.35
OUTLINE = 0.06
INK, SOFT, BRAND = "0.063 0.125 0.106", "0.294 0.357 0.329", "0.039 0.353 0.286"
# Names have a font of their own: what else is on a ticket recurs on all tickets of an event, so
# that the other two fonts are found in the cache.
PLAIN, BOLD, NAMES = range(3)
# What differs between the orders of an event: codes and numbers.
CODES = ascii_uppercase + digits


def tickets_pdf(tickets: Sequence[Ticket]) -> bytes:
    return PdfFile(
        title=str(tickets[0].event),
        language=get_language() or "",
        size=(WIDTH, HEIGHT),
        typefaces=_typefaces(),
        shared={PLAIN: CODES, BOLD: CODES},
    ).content([_page(ticket) for ticket in tickets])


def _page(ticket: Ticket) -> Page:
    page, top = _Layout(), HEIGHT - 14 * MM
    event, venue = ticket.event, ticket.event.plan.venue
    top = page.write(event.title, top, size=19, font=BOLD)
    top = page.write(venue_time(event.starts_at, venue.time_zone), top - 2 * MM, size=11)
    where = " · ".join(filter(None, [venue.name, venue.address]))
    top = page.write(where, top, size=9, colour=SOFT) - 4 * MM
    # Seat and name are large: people look for the seat on their way in.
    lines = [(_("Seat"), seat_and_grade_label(ticket), BOLD), (_("Name"), ticket.name, NAMES)]
    if ticket.entry_number is not None:
        lines.insert(0, (_("Entry number"), str(ticket.entry_number), BOLD))
    for label, words, font in lines:
        top = page.write(label, top, size=8, colour=SOFT) + 1 * MM
        top = page.write(words, top, size=13, font=font) - 1 * MM
    size = min(LARGEST_QR, top - FOOT)
    _write_foot(page, ticket, top - size)
    bar = f"{BRAND} rg 0 {HEIGHT - 5 * MM:.2f} {WIDTH:.2f} {5 * MM:.2f} re f"
    return Page(page.texts, f"{bar}\n{_qr(ticket, (WIDTH - size) / 2, top, size)}")


def _write_foot(page: "_Layout", ticket: Ticket, top: float) -> None:
    doors = venue_time(ticket.event.doors_at, ticket.event.plan.venue.time_zone)
    lines = [
        _("Doors open: %(when)s") % {"when": doors},
        _("Valid once. Copies are not accepted: only the first scan counts."),
        _("Order %(order)s · ticket no. %(serial)s")
        % {"order": ticket.reservation.code, "serial": ticket.serial},
    ]
    top = page.write(code_label(ticket.code), top, size=16, font=BOLD, centred=True) - 4 * MM
    for line in lines:
        top = page.write(line, top, size=8, colour=SOFT, centred=True)


def _qr(ticket: Ticket, left: float, top: float, size: float) -> str:
    """Counted in squares from the top left; an outline joins them, so that no hairlines appear."""
    across, runs = qr_runs(ticket)
    side = size / across
    squares = "%d %d %d 1 re\n" * len(runs) % tuple(chain.from_iterable(runs))
    place = f"{side:.4f} 0 0 {-side:.4f} {left:.2f} {top:.2f} cm"
    return f"q 0 g 0 G {OUTLINE} w {place}\n{squares}B Q"


class _Layout:
    """Writes paragraphs within the margins."""

    def __init__(self) -> None:
        self.texts: list[Text] = []

    def write(
        self,
        words: str,
        top: float,
        *,
        size: int,
        font: int = PLAIN,
        colour: str = INK,
        centred: bool = False,
    ) -> float:
        """Returns the top of the next line."""
        for line, width in _lines(words, _typefaces()[font], size):
            left = MARGIN + (INNER - width) / 2 if centred else MARGIN
            self.texts.append(Text(font, size, colour, left, top - size, line))
            top -= size * LEADING
        return top


def _lines(words: str, face: Typeface, size: float) -> Iterator[tuple[str, float]]:
    """Lines and their widths, broken between words, or within a word that is too long."""
    line = " ".join(words.split())
    if (width := face.width(line, size)) <= INNER:
        yield line, width
        return
    line = ""
    for word in words.split():
        longer = f"{line} {word}" if line else word
        if face.width(longer, size) <= INNER:
            line = longer
            continue
        if line:
            yield line, face.width(line, size)
        line = ""
        for letter in word:
            if face.width(line + letter, size) > INNER:
                yield line, face.width(line, size)
                line = ""
            line += letter
    yield line, face.width(line, size)


@cache
def _typefaces() -> tuple[Typeface, ...]:
    plain, bold = (Typeface(FONTS / f"Pretendard-{weight}.ttf") for weight in ("Regular", "Bold"))
    return plain, bold, bold

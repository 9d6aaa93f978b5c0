"""The event as a calendar file (RFC 5545)."""

from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _

from reservations.models import Ticket
from reservations.tickets.labels import code_label, seat_label
from ticketing.core.venue_time import venue_time

# For events without an end time.
DEFAULT_LENGTH = timedelta(hours=2)
MAX_LINE_BYTES = 75


def calendar_file(ticket: Ticket, *, host: str, address: str, now: datetime) -> str:
    """Times are in UTC, which every calendar converts to its own zone."""
    event, venue = ticket.event, ticket.event.plan.venue
    doors = venue_time(event.doors_at, venue.time_zone)
    description = [
        seat_label(ticket),
        _("Doors open: %(when)s") % {"when": doors},
        code_label(ticket.code),
        address,
    ]
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Ticketing//Tickets//EN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        f"UID:seat-{ticket.seat_id}@{host}",
        f"SEQUENCE:{ticket.serial}",
        f"DTSTAMP:{_utc(now)}",
        f"DTSTART:{_utc(event.starts_at)}",
        f"DTEND:{_utc(event.ends_at or event.starts_at + DEFAULT_LENGTH)}",
        f"SUMMARY:{_escaped(event.title)}",
        f"LOCATION:{_escaped(', '.join(filter(None, [venue.name, venue.address])))}",
        f"DESCRIPTION:{_escaped(chr(10).join(description))}",
        f"URL:{address}",
        *("BEGIN:VALARM", "ACTION:DISPLAY", "TRIGGER:-PT3H"),
        f"DESCRIPTION:{_escaped(event.title)}",
        "END:VALARM",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return "".join(f"{_folded(line)}\r\n" for line in lines)


def _utc(moment: datetime) -> str:
    return moment.astimezone(UTC).strftime("%Y%m%dT%H%M%SZ")


def _escaped(text: str) -> str:
    for mark in ("\\", ";", ","):
        text = text.replace(mark, f"\\{mark}")
    return text.replace("\r", "").replace("\n", "\\n")


def _folded(line: str) -> str:
    """Break after 75 bytes, never within a character; continuation lines start with a space."""
    if len(line.encode()) <= MAX_LINE_BYTES:
        return line
    pieces: list[str] = []
    piece = ""
    for letter in line:
        if len((piece + letter).encode()) > MAX_LINE_BYTES - bool(pieces):
            pieces.append(piece)
            piece = ""
        piece += letter
    return "\r\n ".join([*pieces, piece])

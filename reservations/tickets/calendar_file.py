"""The show in somebody's calendar (RFC 5545)."""

from datetime import UTC, datetime, timedelta

from django.utils.translation import gettext as _

from reservations.models import Ticket
from reservations.tickets.words import code_words, seat_words
from ticketing.core.venue_time import venue_time

# Where an event does not say when it ends.
USUAL_LENGTH = timedelta(hours=2)
LONGEST_LINE = 75


def calendar_file(ticket: Ticket, *, host: str, address: str, now: datetime) -> str:
    """Times are told in UTC: every calendar shows them right, wherever its owner is."""
    event, venue = ticket.event, ticket.event.plan.venue
    doors = venue_time(event.doors_at, venue.time_zone)
    about = [
        seat_words(ticket),
        _("Doors open: %(when)s") % {"when": doors},
        code_words(ticket.code),
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
        f"DTEND:{_utc(event.ends_at or event.starts_at + USUAL_LENGTH)}",
        f"SUMMARY:{_escaped(event.title)}",
        f"LOCATION:{_escaped(', '.join(filter(None, [venue.name, venue.address])))}",
        f"DESCRIPTION:{_escaped(chr(10).join(about))}",
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


def _escaped(words: str) -> str:
    for mark in ("\\", ";", ","):
        words = words.replace(mark, f"\\{mark}")
    return words.replace("\r", "").replace("\n", "\\n")


def _folded(line: str) -> str:
    """At most 75 bytes a line, never within a letter; the rest goes on after a space."""
    pieces: list[str] = []
    piece = ""
    for letter in line:
        if len((piece + letter).encode()) > LONGEST_LINE - bool(pieces):
            pieces.append(piece)
            piece = ""
        piece += letter
    return "\r\n ".join([*pieces, piece])

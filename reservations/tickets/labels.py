"""Labels of tickets and check-ins for pages, PDF, calendars and mails."""

from typing import Any
from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from reservations.models import CheckIn, ReservedSeat, Ticket
from ticketing.core.venue_time import venue_time

HALF = 5


def seat_label(one: Ticket | ReservedSeat) -> str:
    """Of a ticket with an entry number, which is shown beside it, only the section."""
    place = one.seat.place
    if isinstance(one, Ticket) and one.entry_number is not None:
        return str(place.section.name)
    return _label(place.section.name, place.row, place.number)


def seat_details_label(seat: dict[str, Any]) -> str:
    """The same of a seat as `selectors.with_seats` gives it."""
    return _label(seat["section_name"], seat["row"], seat["number"])


def _label(section: str, row: str, number: int) -> str:
    names = {"section": section, "row": row, "number": number}
    if row:
        return _("%(section)s, row %(row)s, seat %(number)s") % names
    return _("%(section)s, place %(number)s") % names


def seat_and_grade_label(one: Ticket | ReservedSeat) -> str:
    """With the grade, unless the section is called the same."""
    grade = one.seat.grade.name
    names = [seat_label(one), *([grade] if grade != one.seat.place.section.name else [])]
    return " · ".join(names)


def code_label(code: str) -> str:
    """The code in two halves, which are easier to read out."""
    return f"{code[:HALF]}-{code[HALF:]}"


def check_in_label(entry: CheckIn) -> str:
    """The door's answer in one line."""
    match entry.answer:
        case CheckIn.Answer.VALID:
            return _("Valid: welcome") if entry.undone_at is None else _("Undone: not inside")
        case CheckIn.Answer.USED:
            zone = ZoneInfo(entry.event.plan.venue.time_zone)
            at = f"{entry.earlier.astimezone(zone):%H:%M:%S}" if entry.earlier else ""
            return _("Already used at %(when)s") % {"when": at}
        case CheckIn.Answer.WRONG_EVENT:
            title = entry.ticket.event.title if entry.ticket else ""
            return _("For another event: %(event)s") % {"event": title}
        case CheckIn.Answer.VOID:
            reason = Ticket.Reason(entry.reason or Ticket.Reason.CANCELLED).label
            return _("Cancelled: %(reason)s") % {"reason": reason}
        case CheckIn.Answer.NOT_YET if entry.reason == "not_called":
            return _("Number not called yet")
        case CheckIn.Answer.NOT_YET:
            when = venue_time(entry.event.doors_at, entry.event.plan.venue.time_zone, "short")
            return _("Too early: doors open %(when)s") % {"when": when}
    return _("Not a ticket")

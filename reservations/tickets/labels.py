"""Labels of tickets and check-ins for pages, PDF, calendars and mails."""

from zoneinfo import ZoneInfo

from django.utils.translation import gettext as _

from reservations.models import CheckIn, ReservedSeat, Ticket

HALF = 5


def seat_label(one: Ticket | ReservedSeat) -> str:
    place = one.seat.place
    names = {"section": place.section.name, "row": place.row, "number": place.number}
    if place.row:
        return _("%(section)s, row %(row)s, seat %(number)s") % names
    return _("%(section)s, place %(number)s") % names


def code_label(code: str) -> str:
    """The code in two halves, which are easier to read out."""
    return f"{code[:HALF]}-{code[HALF:]}"


def check_in_label(entry: CheckIn) -> str:
    """The door's answer in one line."""
    match entry.answer:
        case CheckIn.Answer.VALID:
            return _("Valid: welcome") if entry.undone_at is None else _("Undone: not inside")
        case CheckIn.Answer.USED:
            return _("Already used at %(when)s") % {"when": _clock(entry)}
        case CheckIn.Answer.WRONG_EVENT:
            title = entry.ticket.event.title if entry.ticket else ""
            return _("For another event: %(event)s") % {"event": title}
        case CheckIn.Answer.VOID:
            reason = Ticket.Reason(entry.reason or Ticket.Reason.CANCELLED).label
            return _("Cancelled: %(reason)s") % {"reason": reason}
    return _("Not a ticket")


def _clock(entry: CheckIn) -> str:
    zone = ZoneInfo(entry.event.plan.venue.time_zone)
    return entry.earlier.astimezone(zone).strftime("%H:%M:%S") if entry.earlier else ""

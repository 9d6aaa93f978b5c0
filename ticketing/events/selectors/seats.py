"""Seats of an event."""

from django.core.exceptions import ValidationError
from django.db.models import QuerySet
from django.utils.translation import gettext

from ticketing.core.errors import NotFound
from ticketing.events import store
from ticketing.events.models import Event, Place, Seat, Section

SEAT_RANGE_FIELDS = ("section", "first_row", "last_row", "first_number", "last_number")


def section_seats(event: Event, code: str) -> tuple[Section, list[Seat]]:
    section = event.plan.sections.filter(code=code).first()
    if section is None:
        raise NotFound()
    seats = event.seats.filter(section=section).select_related("place", "grade")
    return section, list(seats.order_by("pk"))


def seats_version(event_id: int) -> str | None:
    """A value that changes with every seat of the event; None if nobody read the list lately."""
    return store.seats_version(event_id)


def seats_in_range(
    event: Event,
    *,
    section: Section,
    first_row: str = "",
    last_row: str = "",
    first_number: int | None = None,
    last_number: int | None = None,
) -> QuerySet[Seat]:
    """Seats of a section by rows and numbers; raises ValidationError for an unknown row."""
    seats = Seat.objects.filter(event=event, section=section)
    if first_row or last_row:
        rows = _rows_between(section, first_row or last_row, last_row or first_row)
        seats = seats.filter(place__row__in=rows)
    if first_number:
        seats = seats.filter(place__number__gte=first_number)
    if last_number:
        seats = seats.filter(place__number__lte=last_number)
    return seats


def _rows_between(section: Section, first_row: str, last_row: str) -> list[str]:
    """The rows from first to last in the order of the plan."""
    known = Place.objects.filter(section=section).order_by("id")
    rows = list(dict.fromkeys(known.values_list("row", flat=True)))
    for name, row in (("first_row", first_row), ("last_row", last_row)):
        if row not in rows:
            message = gettext("This section has no row “%(row)s”.") % {"row": row}
            raise ValidationError({name: message})
    low, high = sorted((rows.index(first_row), rows.index(last_row)))
    return rows[low : high + 1]

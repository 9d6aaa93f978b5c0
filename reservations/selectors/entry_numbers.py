"""Which tickets get entry numbers, and which numbers were called."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from django.db.models import Max, Q, QuerySet

from reservations.models import EntryCall, Ticket
from ticketing.events.models import Event, Section

# Numbers are drawn so long before the doors open, if the sale is not closed before.
DRAWN_BEFORE = timedelta(days=1)
# How many numbers are usually called at once.
RANGE = 50
Mode = Event.EntryNumbers


@dataclass(frozen=True)
class SectionCall:
    """A standing section: the numbers up to `upto` may come in; None if all may."""

    code: str
    name: str
    last: int
    upto: int | None

    @property
    def next(self) -> int:
        """Where the next range ends that is probably called."""
        return min((self.upto or 0) + RANGE, max(self.last, 1))


def events_to_number(now: datetime, event_ids: Collection[int] | None = None) -> list[Event]:
    """Events whose standing tickets get numbers now, and that are not over."""
    closed = Q(state=Event.State.CLOSED) | Q(doors_at__lte=now + DRAWN_BEFORE)
    due = Q(entry_numbers=Mode.SALE) | Q(closed, entry_numbers=Mode.DRAWN)
    events = Event.objects.filter(due, starts_at__gt=now).order_by("pk")
    return list(events if event_ids is None else events.filter(pk__in=event_ids))


def has_entry_numbers(event_id: int) -> bool:
    return Ticket.objects.filter(event_id=event_id, entry_number__isnull=False).exists()


def numbered_sections(event_id: int) -> QuerySet[Section]:
    """The standing sections of an event that gives numbers."""
    numbered = Event.objects.exclude(entry_numbers=Mode.NONE).filter(pk=event_id)
    standing = Section.objects.filter(kind=Section.Kind.STANDING)
    return standing.filter(plan__in=numbered.values("plan")).order_by("order", "code")


def section_calls(event_id: int) -> list[SectionCall]:
    """Each standing section with the last number given and the last one called."""
    tickets = Ticket.objects.filter(event_id=event_id, entry_number__isnull=False).order_by()
    last = dict(tickets.values_list("seat__section").annotate(Max("entry_number")))
    called = dict(EntryCall.objects.filter(event_id=event_id).values_list("section_id", "upto"))
    return [
        SectionCall(section.code, section.name, last.get(section.pk, 0), called.get(section.pk))
        for section in numbered_sections(event_id)
    ]


def is_called(ticket: Ticket) -> bool:
    """Whether the ticket's number may come in; so may everybody while none is called."""
    if ticket.entry_number is None:
        return True
    where = {"event_id": ticket.event_id, "section": ticket.seat.section_id}
    call = EntryCall.objects.filter(**where).first()
    return call is None or ticket.entry_number <= call.upto

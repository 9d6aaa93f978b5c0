"""Events, and what the public may see of them."""

from datetime import datetime, timedelta

from django.db.models import Exists, Min, OuterRef, Q, QuerySet, Subquery

from ticketing.accounts.models import User
from ticketing.accounts.selectors import Caller
from ticketing.core.errors import NotFound
from ticketing.core.prepared_queries import PreparedQuery
from ticketing.events.models import Event, EventChange, Seat
from ticketing.events.selectors.rehearsals import without_rehearsals

# An event without an end is listed this long after its start.
USUAL_LENGTH = timedelta(hours=3)
SEARCHED_FIELDS = (
    "title_ko",
    "title_en",
    "plan__venue__name_ko",
    "plan__venue__name_en",
    "organiser__name_ko",
    "organiser__name_en",
)


def all_events() -> QuerySet[Event]:
    """Every event with its venue, organiser and lowest price."""
    return Event.objects.select_related("plan__venue", "organiser").annotate(
        lowest_price=Min("grades__price")
    )


def public_events() -> QuerySet[Event]:
    """Announced events for lists, searches and counts; without rehearsals."""
    return _announced_events().filter(without_rehearsals("id"))


def public_event(pk: int) -> Event:
    """An announced event; also a rehearsal, which its simulated people find by its id."""
    event = _ANNOUNCED_EVENT.first(pk=pk)
    if event is None:
        raise NotFound()
    return event


def _announced_events() -> QuerySet[Event]:
    return all_events().exclude(state=Event.State.DRAFT)


_ANNOUNCED_EVENT = PreparedQuery(lambda it: _announced_events().filter(pk=it("pk")).order_by())


def visible_event(pk: int, caller: Caller | None) -> Event:
    """The event as this caller may see it: a draft only if they may view events in the admin."""
    if caller and caller.is_staff:
        user = User.objects.filter(pk=caller.id).first()
        if user and user.has_perm("ticketing.view_event"):
            event = all_events().filter(pk=pk).first()
            if event is None:
                raise NotFound()
            return event
    return public_event(pk)


def upcoming_events(*, search: str, now: datetime) -> QuerySet[Event]:
    """Events that are not over; each word of the search occurs in title, venue or organiser."""
    not_over = Q(ends_at__gte=now) | Q(ends_at=None, starts_at__gte=now - USUAL_LENGTH)
    return search_events(public_events().filter(not_over), search).order_by("starts_at", "pk")


def search_events(events: QuerySet[Event], search: str) -> QuerySet[Event]:
    for word in search.split():
        somewhere = Q()
        for field in SEARCHED_FIELDS:
            somewhere |= Q(**{f"{field}__icontains": word})
        events = events.filter(somewhere)
    return events


def events_without_free_seats() -> list[Event]:
    """Events on sale of which no seat is free."""
    return _WITHOUT_FREE_SEATS.all()


def sold_out_events_with_free_seats() -> list[Event]:
    """Sold-out events of which seats are free, unless an operator said that they are sold out."""
    return _SOLD_OUT_WITH_FREE_SEATS.all()


def _sold_out_with_free_seats() -> QuerySet[Event]:
    moves = EventChange.objects.filter(event_id=OuterRef("pk"), what="state").order_by("-pk")
    sold_out = Event.objects.filter(Exists(_free_seats_of_event()), state=Event.State.SOLD_OUT)
    found = sold_out.annotate(operator=Subquery(moves.values("by")[:1]))
    return found.filter(operator=None).order_by("pk")


def _free_seats_of_event() -> QuerySet[Seat]:
    return Seat.objects.filter(event_id=OuterRef("pk"), state=Seat.State.AVAILABLE)


# Asked every second, whether or not anything was sold.
_WITHOUT_FREE_SEATS = PreparedQuery(
    lambda it: Event.objects.filter(
        ~Exists(_free_seats_of_event()), state=Event.State.ON_SALE
    ).order_by("pk")
)
_SOLD_OUT_WITH_FREE_SEATS = PreparedQuery(lambda it: _sold_out_with_free_seats())

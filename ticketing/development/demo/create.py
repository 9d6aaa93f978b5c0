"""Puts the demo into an empty database."""

from datetime import datetime, timedelta

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.development.demo.events import ORGANISERS, SHOWS, Show
from ticketing.development.demo.people import create_people
from ticketing.development.demo.venues import HOUSES, House
from ticketing.events import services
from ticketing.events.models import Event, Grade, Organiser, Place, Seat, SeatPlan, Venue
from ticketing.events.services.plans import generate_plan
from waiting_queue.models import SaleQueue

COLOURS = {
    "VIP": "#7c3aed",
    "R": "#dc2626",
    "S": "#d97706",
    "A": "#15803d",
    "B": "#0369a1",
    "ST": "#be185d",
}


# How long before the sale the lobby opens.
LOBBY = timedelta(minutes=30)


def has_data() -> bool:
    """True if there is anything at all: the demo never mixes with real data."""
    return Event.objects.exists() or User.objects.exists()


@transaction.atomic
def create_demo(*, now: datetime) -> list[Event]:
    """Everything the demo needs; all or nothing."""
    operator = create_people()
    plans = {name: create_venue(house) for name, house in HOUSES.items()}
    organisers = {
        name: Organiser.objects.create(email=email, **bilingual("name", words))
        for name, (words, email) in ORGANISERS.items()
    }
    events = [
        create_event(show, plans[show.house], organisers[show.organiser], operator, now)
        for show in SHOWS
    ]
    create_queues(events)
    return events


def create_venue(house: House) -> SeatPlan:
    venue = Venue.objects.create(
        **bilingual("name", house.name), **bilingual("address", house.address)
    )
    return generate_plan(venue_id=venue.pk, name="기본", blocks=house.blocks, by=None)


def create_event(
    show: Show, plan: SeatPlan, organiser: Organiser, operator: User, now: datetime
) -> Event:
    starts_at = evening(now + show.starts_in)
    event = Event.objects.create(
        **bilingual("title", show.title),
        **bilingual("description", show.description),
        organiser=organiser,
        plan=plan,
        state=show.state,
        on_sale_at=now + show.on_sale_in,
        doors_at=starts_at - timedelta(hours=1),
        starts_at=starts_at,
        ends_at=starts_at + timedelta(hours=2, minutes=30),
    )
    create_grades(event, show.prices)
    services.create_seats(event_id=event.pk, by=operator, now=now)
    if show.held_back:
        hold_back_first_row(event, show.held_back, operator, now)
    return event


def create_queues(events: list[Event]) -> None:
    SaleQueue.objects.bulk_create(
        SaleQueue(event=event, lobby_opens_at=event.on_sale_at - LOBBY, opens_at=event.on_sale_at)
        for event in events
    )


def create_grades(event: Event, prices: dict[str, int]) -> None:
    for order, (code, price) in enumerate(prices.items()):
        names = ("스탠딩", "Standing") if code == "ST" else (f"{code}석", f"{code} seat")
        Grade.objects.create(
            event=event,
            code=code,
            price=price,
            colour=COLOURS[code],
            order=order,
            **bilingual("name", names),
        )


def hold_back_first_row(event: Event, section: str, operator: User, now: datetime) -> None:
    first_row = Place.objects.filter(section__plan=event.plan, section__code=section, row="1")
    seats = Seat.objects.filter(event=event, place__in=first_row)
    services.block_seats(
        event_id=event.pk,
        seat_ids=seats.values_list("pk", flat=True),
        by=operator,
        reason="제작진석",
        now=now,
    )


def bilingual(field: str, words: tuple[str, str]) -> dict[str, str]:
    korean, english = words
    return {f"{field}_ko": korean, f"{field}_en": english}


def evening(day: datetime) -> datetime:
    """Seven o'clock in Seoul, on that day."""
    return day.replace(hour=10, minute=0, second=0, microsecond=0)

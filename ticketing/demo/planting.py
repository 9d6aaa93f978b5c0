"""Puts the demo into an empty database."""

from datetime import datetime, timedelta

from django.db import transaction
from django.dispatch import Signal

from ticketing import services
from ticketing.accounts.models import User
from ticketing.demo.houses import HOUSES, House
from ticketing.demo.people import plant_people
from ticketing.demo.shows import ORGANISERS, SHOWS, Show
from ticketing.models import Event, Grade, Organiser, Place, Seat, SeatPlan, Venue
from ticketing.services.plans import generate_plan

COLOURS = {
    "VIP": "#7c3aed",
    "R": "#dc2626",
    "S": "#d97706",
    "A": "#15803d",
    "B": "#0369a1",
    "ST": "#be185d",
}


# Sent with `events` and `now`, so that the apps above can add their part.
planted = Signal()


def is_planted() -> bool:
    """True if there is anything at all: the demo never mixes with real data."""
    return Event.objects.exists() or User.objects.exists()


@transaction.atomic
def plant(*, now: datetime) -> list[Event]:
    """Everything the demo needs; all or nothing."""
    operator = plant_people()
    plans = {name: plant_house(house) for name, house in HOUSES.items()}
    organisers = {
        name: Organiser.objects.create(email=email, **bilingual("name", words))
        for name, (words, email) in ORGANISERS.items()
    }
    events = [
        plant_show(show, plans[show.house], organisers[show.organiser], operator, now)
        for show in SHOWS
    ]
    planted.send(sender=None, events=events, now=now)
    return events


def plant_house(house: House) -> SeatPlan:
    venue = Venue.objects.create(
        **bilingual("name", house.name), **bilingual("address", house.address)
    )
    return generate_plan(venue_id=venue.pk, name="기본", blocks=house.blocks, by=None)


def plant_show(
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
    plant_grades(event, show.prices)
    services.create_seats(event_id=event.pk, by=operator, now=now)
    if show.held_back:
        hold_back_first_row(event, show.held_back, operator, now)
    return event


def plant_grades(event: Event, prices: dict[str, int]) -> None:
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

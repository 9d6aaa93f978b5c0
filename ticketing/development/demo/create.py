"""Creates the demo data."""

from datetime import datetime, timedelta
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from django.core.files.base import ContentFile
from django.db import transaction

from ticketing.accounts.models import User
from ticketing.development.demo.events import EVENTS, OPEN_SALE_IN, ORGANISERS, DemoEvent
from ticketing.development.demo.orders import sell_out
from ticketing.development.demo.people import create_people
from ticketing.development.demo.posters import poster
from ticketing.development.demo.venues import VENUES, DemoVenue
from ticketing.development.demo.waiting_pages import PAGES, create_page
from ticketing.events import services
from ticketing.events.models import Event, Grade, Organiser, Place, Seat, SeatPlan, Venue
from ticketing.events.services.plans import generate_plan
from waiting_queue import services as queues
from waiting_queue.models import Lane, SaleQueue

COLOURS = {
    "VIP": "#7c3aed",
    "R": "#dc2626",
    "S": "#d97706",
    "A": "#15803d",
    "B": "#0369a1",
    "ST": "#be185d",
}


# The lobby opens this long before the sale.
LOBBY_TIME = timedelta(minutes=30)


def has_data() -> bool:
    """True if there are any events or users: the demo never mixes with real data."""
    return Event.objects.exists() or User.objects.exists()


@transaction.atomic
def create_demo(*, now: datetime) -> list[Event]:
    """Create the whole demo, all or nothing."""
    operator = create_people()
    plans = {name: create_venue(venue) for name, venue in VENUES.items()}
    organisers = {
        name: Organiser.objects.create(email=email, **bilingual("name", names))
        for name, (names, email) in ORGANISERS.items()
    }
    events = [
        create_event(spec, plans[spec.venue], organisers[spec.organiser], operator, now)
        for spec in EVENTS
    ]
    for event, spec in zip(events, EVENTS, strict=True):
        if spec.sells_out:
            sell_out(event, now)
        create_queue(event, spec, operator, now)
    for event, spec in zip(events, EVENTS, strict=True):
        if spec.waiting_page:
            create_page(event.pk, PAGES[spec.waiting_page], operator, now)
    return events


def create_venue(spec: DemoVenue) -> SeatPlan:
    venue = Venue.objects.create(
        **bilingual("name", spec.name),
        **bilingual("address", spec.address),
        map_url=f"https://www.openstreetmap.org/search?{urlencode({'query': spec.map_query})}",
    )
    return generate_plan(venue_id=venue.pk, name="기본", blocks=spec.blocks, by=None)


def create_event(
    spec: DemoEvent, plan: SeatPlan, organiser: Organiser, operator: User, now: datetime
) -> Event:
    starts_at = seven_pm_in_seoul(now + spec.starts_in)
    event = Event.objects.create(
        **bilingual("title", spec.title),
        **bilingual("description", spec.description),
        **bilingual("cast", spec.cast),
        **bilingual("notices", spec.notices),
        running_minutes=spec.running_minutes,
        admission_age=spec.admission_age,
        entry_numbers=spec.entry_numbers,
        organiser=organiser,
        plan=plan,
        state=spec.state,
        on_sale_at=now + spec.on_sale_in,
        doors_at=starts_at - timedelta(hours=1),
        starts_at=starts_at,
        ends_at=starts_at + timedelta(minutes=spec.running_minutes or 120),
    )
    local = starts_at.astimezone(ZoneInfo(plan.venue.time_zone))
    lines = (event.title_en, f"{local:%Y. %-m. %-d. %H:%M} · {plan.venue.name_ko}")
    picture = ContentFile(poster(spec.poster, event.title_ko, lines))
    event.poster.save(f"demo-{spec.poster}.webp", picture)
    create_grades(event, spec.prices)
    services.create_seats(event_id=event.pk, by=operator, now=now)
    if spec.held_back:
        hold_back_first_row(event, spec.held_back, operator, now)
    return event


def create_queue(event: Event, spec: DemoEvent, operator: User, now: datetime) -> None:
    queue = SaleQueue.objects.create(
        event=event,
        lobby_opens_at=event.on_sale_at - LOBBY_TIME,
        opens_at=event.on_sale_at,
        admit_per_second=spec.admit_per_second,
    )
    if spec.mode:
        queues.set_knobs(event_id=event.pk, knobs={"mode": spec.mode}, by=operator, now=now)
    if spec.presale_codes:
        create_presale(queue, spec.presale_codes, operator, now)


def create_presale(queue: SaleQueue, codes: tuple[str, ...], operator: User, now: datetime) -> None:
    """Two lanes: one for whoever has a code, at once, and one for everybody, later."""
    names = bilingual("name", ("팬클럽 선예매", "Fan-club presale"))
    presale = Lane(queue=queue, key=Lane.Key.CODES, weight=3, **names)
    names = bilingual("name", ("일반 예매", "Open sale"))
    open_sale = Lane(queue=queue, key=Lane.Key.NONE, opens_at=now + OPEN_SALE_IN, **names)
    for lane in (presale, open_sale):
        queues.save_lane(lane=lane, by=operator, now=now, limits={})
    queues.import_keys(lane=presale, text="\n".join(codes), by=operator, now=now)


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


def bilingual(field: str, names: tuple[str, str]) -> dict[str, str]:
    korean, english = names
    return {f"{field}_ko": korean, f"{field}_en": english}


def seven_pm_in_seoul(day: datetime) -> datetime:
    """19:00 in Seoul on that day (UTC)."""
    return day.replace(hour=10, minute=0, second=0, microsecond=0)

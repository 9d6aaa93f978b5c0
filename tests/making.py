"""Small makers of real rows, with believable defaults."""

from datetime import datetime, timedelta
from functools import cache
from itertools import count
from math import hypot
from typing import Any

from django.contrib.auth.hashers import make_password

from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.events.models import Event, Grade, Organiser, Place, Seat, SeatPlan, Section, Venue
from ticketing.events.services import create_seats
from ticketing.events.services.changes import record_change

PASSWORD = "a-long-enough-passphrase"
_number = count(1)


def make_user(*, password: str | None = PASSWORD, **fields: Any) -> User:
    n = next(_number)
    named = {"email": f"fan{n}@example.com", "display_name": f"Fan {n}"}
    user = User(**named | {"email_confirmed_at": clock.now()} | fields)
    user.email, user.password = User.objects.normalize_email(user.email), _hashed(password)
    user.save()
    return user


@cache
def _hashed(password: str | None) -> str:
    """Once for all: hashing is slow by design, and slower than most tests."""
    return make_password(password)


def make_plan(
    *, rows: int = 3, seats_per_row: int = 4, standing: int = 0, **fields: Any
) -> SeatPlan:
    """Seated section A (grade R; the last row S) and perhaps a standing section F."""
    venue = Venue.objects.create(name_ko="한강 아레나", name_en="Hangang Arena")
    plan = SeatPlan.objects.create(**{"venue": venue, "name": f"plan {next(_number)}"} | fields)
    if rows:
        width, height = 20 * seats_per_row, 20 * rows
        section = Section.objects.create(
            plan=plan, code="A", name_ko="가 구역", name_en="Section A", width=width, height=height
        )
        Place.objects.bulk_create(
            Place(
                section=section,
                grade="S" if row == rows else "R",
                row=str(row),
                number=number,
                x=20 * number,
                y=20 * row,
            )
            for row in range(1, rows + 1)
            for number in range(1, seats_per_row + 1)
        )
    if standing:
        floor = Section.objects.create(
            plan=plan,
            code="F",
            name_ko="스탠딩",
            name_en="Floor",
            order=1,
            kind=Section.Kind.STANDING,
            y=20 * rows + 40,
            width=200,
            height=100,
        )
        Place.objects.bulk_create(
            Place(section=floor, grade="F", number=n) for n in range(1, standing + 1)
        )
    return plan


def make_event(
    now: datetime, *, plan: SeatPlan | None = None, seats: bool = True, **fields: Any
) -> Event:
    """An event in a month, on sale since yesterday, with seats."""
    n = next(_number)
    defaults = {
        "title_ko": f"달빛 콘서트 {n}",
        "title_en": f"Moonlight Concert {n}",
        "organiser": Organiser.objects.create(name_ko="달빛기획", name_en="Moonlight"),
        "plan": plan or make_plan(),
        "state": Event.State.ON_SALE,
        "on_sale_at": now - timedelta(days=1),
        "doors_at": now + timedelta(days=30, hours=-1),
        "starts_at": now + timedelta(days=30),
        "without_line": True,
    }
    event = Event.objects.create(**defaults | fields)
    places = Place.objects.filter(section__plan=event.plan)
    usual = list(places.select_related("section").order_by("id")) if plan is None else []
    codes = {place.grade for place in usual} or {*places.values_list("grade", flat=True).distinct()}
    grades = Grade.objects.bulk_create(
        Grade(
            event=event,
            code=code,
            name_ko=f"{code}석",
            name_en=f"{code} seat",
            price=154_000 - 22_000 * order,
            order=order,
            colour="#3355dd",
        )
        for order, code in enumerate(sorted(codes))
    )
    if seats and usual:
        _make_seats(event, usual, grades, now)
    elif seats:
        create_seats(event_id=event.pk, by=None, now=now)
    return event


def _make_seats(event: Event, places: list[Place], grades: list[Grade], now: datetime) -> None:
    """What `create_seats` makes of the usual plan, in two statements: most tests need it."""
    section, grade_of = places[0].section, {grade.code: grade for grade in grades}
    middle = section.x + section.width / 2
    Seat.objects.bulk_create(
        Seat(
            event=event,
            place=place,
            section=section,
            grade=grade_of[place.grade],
            distance=round(hypot(place.x - middle, place.y)),
        )
        for place in places
    )
    record_change(
        event_id=event.pk, what="seats", before="0", after=str(len(places)), by=None, now=now
    )


def seat_ids(event: Event) -> list[int]:
    return list(Seat.objects.filter(event=event).order_by("pk").values_list("pk", flat=True))

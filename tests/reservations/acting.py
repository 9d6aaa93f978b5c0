"""What people do with seats, with few arguments."""

from datetime import datetime
from typing import Any

from reservations import keys, services
from reservations.selectors import ReservationWithSeats
from reservations.services import SeatChoice
from ticketing.core import redis
from ticketing.events.models import Event, Seat


def hold(event: Event, fan: Any, now: datetime, *seats: int, **more: Any) -> ReservationWithSeats:
    return hold_choice(event, fan, now, SeatChoice.named(seats), **more)


def best(
    event: Event, fan: Any, now: datetime, quantity: int, grade: str = "R", **more: Any
) -> ReservationWithSeats:
    accessible = more.pop("accessible", False)
    choice = SeatChoice.best(grade=grade, quantity=quantity, accessible=accessible)
    return hold_choice(event, fan, now, choice, **more)


def places(
    event: Event, fan: Any, now: datetime, quantity: int, section: str = "F", grade: str = ""
) -> ReservationWithSeats:
    choice = SeatChoice.standing(section=section, quantity=quantity, grade=grade)
    return hold_choice(event, fan, now, choice)


def hold_choice(
    event: Event, fan: Any, now: datetime, choice: SeatChoice, **more: Any
) -> ReservationWithSeats:
    return services.hold_seats(event_id=event.pk, choice=choice, fan_id=fan.pk, now=now, **more)


def states(event: Event) -> dict[int, str]:
    return dict(Seat.objects.filter(event=event).values_list("pk", "state"))


def shut_seats(event: Event) -> dict[int, str]:
    """Every seat that the gate refuses, and its owner."""
    entries: Any = redis.client().hgetall(keys.gate(event.pk))
    return {int(seat): entry.split(":")[1] for seat, entry in entries.items()}

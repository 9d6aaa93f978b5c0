"""What people do with seats, in few words."""

from datetime import datetime
from typing import Any

from reservations import services
from reservations.selectors import Hold
from ticketing.events.models import Event, Seat


def hold(event: Event, fan: Any, now: datetime, *seats: int, **more: Any) -> Hold:
    return services.hold_seats(event_id=event.pk, seat_ids=seats, fan_id=fan.pk, now=now, **more)


def best(
    event: Event, fan: Any, now: datetime, quantity: int, grade: str = "R", **more: Any
) -> Hold:
    return services.hold_best(
        event_id=event.pk, grade=grade, quantity=quantity, fan_id=fan.pk, now=now, **more
    )


def places(event: Event, fan: Any, now: datetime, quantity: int, **more: Any) -> Hold:
    wish = {"section": "F"} | more
    return services.hold_places(
        event_id=event.pk, quantity=quantity, fan_id=fan.pk, now=now, **wish
    )


def states(event: Event) -> dict[int, str]:
    return dict(Seat.objects.filter(event=event).values_list("pk", "state"))

"""What people do around a sold-out sale, in few words."""

from datetime import datetime, timedelta
from typing import Any

from reservations import services
from reservations.models import Reservation, ReservedSeat, ReturnedSeat, StandbyEntry
from tests.making import make_user
from tests.reservations.acting import hold
from ticketing.events.models import Event


def bought(event: Event, fan: Any, now: datetime, *seats: int) -> Reservation:
    code = hold(event, fan, now, *seats).reservation.code
    services.extend_for_payment(code=code, fan_id=fan.pk, now=now)
    return services.confirm(code=code, now=now)


def all_sold(event: Event, now: datetime) -> list[Reservation]:
    """Seat by seat, an order each, as if it had been so for long: it is sold out."""
    owner, seats = make_user(password=None), list(event.seats.order_by("pk"))
    whose: Any = {"event": event, "fan": owner, "currency": "KRW", "state": "confirmed"}
    times = {"created_at": now - timedelta(hours=1), "deadline": now}
    orders = [Reservation(**whose, **times, total=154_000) for _ in seats]
    Reservation.objects.bulk_create(orders)
    ReservedSeat.objects.bulk_create(
        ReservedSeat(reservation=order, seat=seat, grade="R", price=154_000)
        for order, seat in zip(orders, seats, strict=True)
    )
    event.seats.update(state="sold")
    say_sold_out(event)
    return orders


def say_sold_out(event: Event) -> None:
    event.state = Event.State.SOLD_OUT
    event.save(update_fields=["state"])


def refunded(now: datetime, *orders: Reservation) -> None:
    for order in orders:
        services.refund(code=order.code, now=now)


def joined(
    event: Event, now: datetime, *, fan: Any = None, quantity: int = 1, grade: str = ""
) -> Any:
    """Somebody on the list: the entry."""
    fan = fan or make_user(password=None)
    wish: Any = {"quantity": quantity, "grade": grade}
    return services.join_standby(event_id=event.pk, fan_id=fan.pk, now=now, **wish)


def states_of(*entries: StandbyEntry) -> list[str]:
    found = dict(StandbyEntry.objects.values_list("pk", "state"))
    return [found[entry.pk] for entry in entries]


def offered_seats(entry: StandbyEntry) -> list[int]:
    entry.refresh_from_db()
    assert entry.reservation is not None
    return list(entry.reservation.seats.values_list("seat_id", flat=True))


def kept(event: Event) -> list[int]:
    return list(ReturnedSeat.objects.filter(event=event).values_list("pk", flat=True))

"""The gate and the count of free seats, put right from PostgreSQL."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from reservations import gate
from reservations.models import Reservation, ReservedSeat, ReturnedSeat
from reservations.services.telling import NOBODY
from ticketing.events.models import Event, Seat

# While seats change as fast as they are counted, no count stands; then the next call tries again.
TRIES = 5


@dataclass(frozen=True)
class Reconciled:
    """What Redis said before and what is so; `left` is None if it knew nothing."""

    event_id: int
    left: int | None
    free: int
    stands: bool
    gates: int = 0


def recount_seats(*, event_id: int) -> Reconciled:
    """How many seats are free, for the gate."""
    before = gate.seats_left(event_id)
    for _ in range(TRIES):
        last = gate.last_news(event_id)
        free = Seat.objects.filter(event_id=event_id, state=Seat.State.AVAILABLE).count()
        if gate.recount(event_id, free, last=last):
            return Reconciled(event_id, before, free, stands=True)
    return Reconciled(event_id, before, free, stands=False)


def recount_sales() -> list[Reconciled]:
    """Of every event on sale: what was told wrongly or not at all lasts a few seconds."""
    on_sale = Event.objects.filter(state=Event.State.ON_SALE).order_by("pk")
    return [recount_seats(event_id=pk) for pk in on_sale.values_list("pk", flat=True)]


def rebuild_gate(*, event_id: int, now: datetime) -> Reconciled:
    """Shut for every seat that is held, sold or kept, open for the rest; and the count."""
    rows = ReservedSeat.objects.filter(live=True, seat__event_id=event_id)
    fields = ("seat_id", "reservation__state", "reservation__deadline", "reservation__fan_id")
    shut = {}
    for seat, state, deadline, fan in rows.values_list(*fields):
        is_held = state == Reservation.State.HELD
        shut[seat] = (deadline if is_held else now + gate.KEPT, fan)
    kept = ReturnedSeat.objects.filter(event_id=event_id).values_list("pk", flat=True)
    shut |= dict.fromkeys(kept, (now + gate.KEPT, NOBODY))
    gate.reset(event_id, shut)
    counted = recount_seats(event_id=event_id)
    return Reconciled(event_id, counted.left, counted.free, counted.stands, gates=len(shut))


def contradictions(*, event_id: int) -> Counter[tuple[str, str]]:
    """Seats whose own state is not what their reservation says: (state, of the reservation)."""
    expected = {
        Reservation.State.HELD: Seat.State.HELD,
        Reservation.State.PAYING: Seat.State.HELD,
        Reservation.State.CONFIRMED: Seat.State.SOLD,
    }
    rows = ReservedSeat.objects.filter(live=True, seat__event_id=event_id)
    reserved = dict(rows.values_list("seat_id", "reservation__state"))
    kept = set(ReturnedSeat.objects.filter(event_id=event_id).values_list("pk", flat=True))
    wrong: Counter[tuple[str, str]] = Counter()
    for seat, state in Seat.objects.filter(event_id=event_id).values_list("pk", "state"):
        by = reserved.get(seat)
        if by is None and state in (Seat.State.HELD, Seat.State.SOLD):
            if seat not in kept or state != Seat.State.HELD:
                wrong[state, ""] += 1
        elif by is not None and state != expected[Reservation.State(by)]:
            wrong[state, by] += 1
    return wrong

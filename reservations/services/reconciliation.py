"""Corrects the gate and the count of free seats in Redis from PostgreSQL."""

from collections import Counter
from dataclasses import dataclass
from datetime import datetime

from reservations import gate
from reservations.models import Reservation, ReservedSeat, ReturnedSeat
from reservations.services.seat_updates import NOBODY
from ticketing.core.sql import rows
from ticketing.events.models import Event, Seat

# While seats change as fast as they are counted, no count can be stored; the next call tries again.
ATTEMPTS = 5
# Far more holds than are between their commit and their publication at any time.
NEWEST = 1_000
# Prepared: every event on sale is recounted every few seconds, also if nothing was sold.
FREE_SEATS = """
SELECT count(*) AS free FROM ticketing_seat
WHERE event_id = %(event)s::bigint AND state = 'available'
"""
NEWEST_HOLDS = """
SELECT reserved.seat_id, reservation.deadline
FROM reservations_reservedseat AS reserved
JOIN reservations_reservation AS reservation ON reservation.id = reserved.reservation_id
WHERE reserved.live AND reservation.event_id = %(event)s::bigint AND reservation.state = 'held'
ORDER BY reservation.deadline DESC LIMIT %(most)s::int
"""
# At the gate; while a hold is paid for nobody can say when its seats would come back.
LETTERS = {
    Reservation.State.HELD: gate.HELD,
    Reservation.State.PAYING: "",
    Reservation.State.CONFIRMED: gate.SOLD,
}


@dataclass(frozen=True)
class SeatCount:
    """Free seats: `left` as Redis had it (None: unknown), `free` as PostgreSQL has it.

    `stored` is False if seats changed during every count; `gates` is the number of shut seats.
    """

    event_id: int
    left: int | None
    free: int
    stored: bool
    gates: int = 0


def recount_seats(*, event_id: int) -> SeatCount:
    """Count the free seats of an event and store the count for the gate."""
    before = gate.seats_left(event_id)
    for _ in range(ATTEMPTS):
        last = gate.last_update_id(event_id)
        free = int(rows(FREE_SEATS, {"event": event_id})[0]["free"])
        # After counting: a hold that is committed meanwhile then makes the count too high, which
        # costs a few attempts, and not too low, which would refuse the last seats.
        found = rows(NEWEST_HOLDS, {"event": event_id, "most": NEWEST})
        newest = [(row["seat_id"], row["deadline"]) for row in found]
        if gate.set_seats_left(event_id, free, last=last, newest=newest):
            return SeatCount(event_id, before, free, stored=True)
    return SeatCount(event_id, before, free, stored=False)


def recount_events_on_sale() -> list[SeatCount]:
    """Recount every event on sale or sold out, so that a wrong count lasts only seconds."""
    states = (Event.State.ON_SALE, Event.State.SOLD_OUT)
    on_sale = Event.objects.filter(state__in=states).order_by("pk")
    return [recount_seats(event_id=pk) for pk in on_sale.values_list("pk", flat=True)]


def rebuild_gate(*, event_id: int, now: datetime) -> SeatCount:
    """Recount, shut the gate for every seat that is held, sold or kept, open it for the rest.

    Counted first: the count tells from the old gate which holds are not published yet.
    """
    count = recount_seats(event_id=event_id)
    reserved = ReservedSeat.objects.filter(live=True, seat__event_id=event_id)
    fields = ("seat_id", "reservation__state", "reservation__deadline", "reservation__fan_id")
    shut = {}
    for seat, state, deadline, fan in reserved.values_list(*fields):
        is_held = state == Reservation.State.HELD
        letter = LETTERS[Reservation.State(state)]
        shut[seat] = (deadline if is_held else now + gate.TTL, fan, letter)
    kept = ReturnedSeat.objects.filter(event_id=event_id).values_list("pk", flat=True)
    shut |= dict.fromkeys(kept, (now + gate.TTL, NOBODY, gate.HELD))
    gate.rebuild(event_id, shut)
    return SeatCount(event_id, count.left, count.free, count.stored, gates=len(shut))


def inconsistent_seats(*, event_id: int) -> Counter[tuple[str, str]]:
    """Count seats whose state contradicts their reservation: (seat state, reservation state)."""
    expected = {
        Reservation.State.HELD: Seat.State.HELD,
        Reservation.State.PAYING: Seat.State.HELD,
        Reservation.State.CONFIRMED: Seat.State.SOLD,
    }
    live = ReservedSeat.objects.filter(live=True, seat__event_id=event_id)
    reserved = dict(live.values_list("seat_id", "reservation__state"))
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

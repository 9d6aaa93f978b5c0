"""Reservations and their seats, found through their owner."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from reservations.errors import NoReservation
from reservations.models import HoldRequest, Reservation, ReservedSeat, Ticket
from ticketing.core.ttl_cache import ttl_cache
from ticketing.events.models import Seat, Section
from waiting_queue.models import QueueJournal


@dataclass(frozen=True)
class ReservationWithSeats:
    """A reservation, and its seats with section, row, number, grade and price."""

    reservation: Reservation
    seats: list[dict[str, Any]]
    is_new: bool = False


@dataclass(frozen=True)
class OwnSeat:
    """A seat that counts against a person's limit: held, being paid for, or bought."""

    id: int
    code: str
    state: str
    deadline: datetime

    @property
    def is_in_basket(self) -> bool:
        return self.state != Reservation.State.CONFIRMED


def own_reservations(*, event_id: int, fan_id: int) -> list[ReservationWithSeats]:
    return with_seats(Reservation.objects.filter(event_id=event_id, fan_id=fan_id))


def own_reservation(*, event_id: int, fan_id: int, code: str) -> ReservationWithSeats:
    return _single(Reservation.objects.filter(event_id=event_id, fan_id=fan_id, code=code.upper()))


def reservation_with_seats(pk: int) -> ReservationWithSeats:
    return _single(Reservation.objects.filter(pk=pk))


def live_holds(*, event_id: int, fan_id: int, now: datetime) -> list[ReservationWithSeats]:
    """What this person holds or is paying for, without expired holds."""
    basket = [Reservation.State.HELD, Reservation.State.PAYING]
    found = own_reservations_in(event_id, fan_id, basket)
    return [hold for hold in with_seats(found) if not hold.reservation.is_overdue(now)]


def own_seats(*, event_id: int, fan_id: int, now: datetime) -> list[OwnSeat]:
    """Every seat that counts for this person: held, bought, or transferred to them.

    Expired holds do not count. One statement.
    """
    rows = ReservedSeat.objects.filter(
        live=True, reservation__event_id=event_id, reservation__fan_id=fan_id
    ).exclude(reservation__state=Reservation.State.HELD, reservation__deadline__lte=now)
    given = Ticket.objects.filter(event_id=event_id, holder_id=fan_id, state__in=Ticket.LIVE)
    given = given.exclude(reservation__fan_id=fan_id).order_by()
    columns = ("seat_id", "reservation__code", "reservation__state", "reservation__deadline")
    every = rows.order_by().values_list(*columns).union(given.values_list(*columns))
    return [OwnSeat(*row) for row in every.order_by("seat_id")]


@ttl_cache(1)
def fans_with_seats(event_id: int) -> set[int]:
    """Everybody for whom `own_seats` may find a seat; also holds that just expired."""
    owners = Reservation.objects.filter(event_id=event_id, state__in=Reservation.LIVE)
    holders = Ticket.objects.filter(event_id=event_id, state__in=Ticket.LIVE).order_by()
    every = owners.order_by().values_list("fan_id").union(holders.values_list("holder_id"))
    return {fan for (fan,) in every}


def seat_names(seat_ids: Collection[int]) -> list[tuple[Section, str, int]]:
    """(section, row, number) of these seats."""
    seats = Seat.objects.filter(pk__in=seat_ids).select_related("place__section").order_by("pk")
    return [(seat.place.section, seat.place.row, seat.place.number) for seat in seats]


def own_reservations_in(
    event_id: int, fan_id: int, states: Collection[str]
) -> QuerySet[Reservation]:
    return Reservation.objects.filter(event_id=event_id, fan_id=fan_id, state__in=states)


def with_seats(reservations: Iterable[Reservation]) -> list[ReservationWithSeats]:
    """The reservations with their seats, in two statements."""
    found = list(reservations)
    seats: dict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = ReservedSeat.objects.filter(reservation__in=found).order_by("seat_id")
    for row in rows.select_related("seat__place__section", "seat__grade"):
        seats[row.reservation_id].append(_seat_details(row))
    return [ReservationWithSeats(reservation, seats[reservation.pk]) for reservation in found]


def abandoned_holds() -> QuerySet[Reservation]:
    """Holds of people who left the queue, or were removed from it, after the hold."""
    gone = QueueJournal.objects.filter(
        event_id=OuterRef("event_id"), person=OuterRef("fan_id"), at__gt=OuterRef("created_at")
    )
    left, blocked = gone.filter(kind="left"), gone.filter(kind="blocked")
    # Standby offers do not depend on the queue: who leaves it keeps the offer.
    which = Exists(blocked) | Exists(left) & Q(offer=None)
    return Reservation.objects.filter(which, state=Reservation.State.HELD).order_by("pk")


def bought_since(*, event_id: int, since: Mapping[str, datetime]) -> set[str]:
    """Those of these people who have bought seats that they held after the given time."""
    bought = Reservation.objects.filter(
        event_id=event_id,
        fan_id__in=[int(person) for person in since],
        state=Reservation.State.CONFIRMED,
    )
    held = bought.values_list("fan_id", "created_at")
    return {str(fan) for fan, held_at in held if held_at >= since[str(fan)]}


def own_hold_request(*, event_id: int, fan_id: int, code: str) -> HoldRequest:
    requests = HoldRequest.objects.select_related("reservation")
    found = requests.filter(event_id=event_id, fan_id=fan_id, code=code.upper()).first()
    if found is None:
        raise NoReservation()
    return found


def _single(reservations: QuerySet[Reservation]) -> ReservationWithSeats:
    found = with_seats(reservations)
    if not found:
        raise NoReservation()
    return found[0]


def _seat_details(row: ReservedSeat) -> dict[str, Any]:
    """Sections and grades by code, for programs, and by name, for people."""
    place = row.seat.place
    return {
        "id": row.seat_id,
        "section": place.section.code,
        "section_name": place.section.name,
        "row": place.row,
        "number": place.number,
        "grade": row.grade,
        "grade_name": row.grade_name,
        "grade_names": row.grade_names,
        "price": row.price,
    }

"""What can be seen of reservations, each through its owner."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Exists, OuterRef, Q, QuerySet

from reservations.errors import NoReservation
from reservations.models import HoldRequest, Reservation, ReservedSeat, Ticket
from reservations.orphans import Neighbour
from reservations.tickets.order_files import order_files as order_files
from reservations.tickets.selectors import ticket_told as ticket_told
from reservations.tickets.selectors import tickets_of_order as tickets_of_order
from reservations.tickets.words import seat_words as seat_words
from ticketing.core.ttl_cache import ttl_cache
from ticketing.events.models import Event, Place, Seat, Section
from waiting_queue.models import QueueJournal

Row = tuple[int, str]


@dataclass(frozen=True)
class Hold:
    """A reservation with its seats as people know them."""

    reservation: Reservation
    seats: list[dict[str, Any]]
    is_new: bool = False


@dataclass(frozen=True)
class OwnSeat:
    """A seat that counts against the limit: held, being paid for, or bought."""

    id: int
    code: str
    state: str
    deadline: datetime

    @property
    def is_in_basket(self) -> bool:
        return self.state != Reservation.State.CONFIRMED


def own_reservations(*, event_id: int, fan_id: int) -> list[Hold]:
    return with_seats(Reservation.objects.filter(event_id=event_id, fan_id=fan_id))


def own_reservation(*, event_id: int, fan_id: int, code: str) -> Hold:
    return _the_only(
        Reservation.objects.filter(event_id=event_id, fan_id=fan_id, code=code.upper())
    )


def reservation_with_seats(pk: int) -> Hold:
    return _the_only(Reservation.objects.filter(pk=pk))


def live_holds(*, event_id: int, fan_id: int, now: datetime) -> list[Hold]:
    """What this person has in the basket or is paying for; what ran out is not shown."""
    basket = [Reservation.State.HELD, Reservation.State.PAYING]
    found = own_reservations_in(event_id, fan_id, basket)
    return [hold for hold in with_seats(found) if not hold.reservation.is_overdue(now)]


def own_seats(*, event_id: int, fan_id: int, now: datetime) -> list[OwnSeat]:
    """Every seat that counts for this person now: what they chose or bought and did not let run
    out, and what others gave them. One statement.
    """
    rows = ReservedSeat.objects.filter(
        live=True, reservation__event_id=event_id, reservation__fan_id=fan_id
    ).exclude(reservation__state=Reservation.State.HELD, reservation__deadline__lte=now)
    about = ("reservation__code", "reservation__state", "reservation__deadline")
    given = Ticket.objects.filter(event_id=event_id, holder_id=fan_id, state__in=Ticket.LIVE)
    given = given.exclude(reservation__fan_id=fan_id).order_by()
    columns = ("seat_id", *about)
    every = rows.order_by().values_list(*columns).union(given.values_list(*columns))
    return [OwnSeat(*row) for row in every.order_by("seat_id")]


def seat_names(seat_ids: Collection[int]) -> list[tuple[Section, str, int]]:
    """(section, row, number) of these seats, for people."""
    seats = Seat.objects.filter(pk__in=seat_ids).select_related("place__section").order_by("pk")
    return [(seat.place.section, seat.place.row, seat.place.number) for seat in seats]


def own_reservations_in(
    event_id: int, fan_id: int, states: Collection[str]
) -> QuerySet[Reservation]:
    return Reservation.objects.filter(event_id=event_id, fan_id=fan_id, state__in=states)


def with_seats(reservations: Iterable[Reservation]) -> list[Hold]:
    """Two statements, however many there are."""
    found = list(reservations)
    seats: dict[int, list[dict[str, Any]]] = defaultdict(list)
    rows = ReservedSeat.objects.filter(reservation__in=found).order_by("seat_id")
    for row in rows.select_related("seat__place__section", "seat__grade"):
        seats[row.reservation_id].append(_described(row))
    return [Hold(reservation, seats[reservation.pk]) for reservation in found]


def overdue_payments(now: datetime) -> QuerySet[Reservation]:
    """Being paid for longer than allowed: their payments must be settled, one way or the other."""
    return Reservation.objects.filter(state=Reservation.State.PAYING, deadline__lte=now)


def holds_of_the_gone() -> QuerySet[Reservation]:
    """Holds of people who left the queue, or were moved out of it, since they chose."""
    gone = QueueJournal.objects.filter(
        event_id=OuterRef("event_id"), person=OuterRef("fan_id"), at__gt=OuterRef("created_at")
    )
    left, blocked = gone.filter(kind="left"), gone.filter(kind="blocked")
    # Seats from the standby list are not the line's: who leaves it keeps the offer.
    which = Exists(blocked) | Exists(left) & Q(offer=None)
    return Reservation.objects.filter(which, state=Reservation.State.HELD).order_by("pk")


def own_request(*, event_id: int, fan_id: int, code: str) -> HoldRequest:
    requests = HoldRequest.objects.select_related("reservation")
    found = requests.filter(event_id=event_id, fan_id=fan_id, code=code.upper()).first()
    if found is None:
        raise NoReservation()
    return found


@ttl_cache(1)
def wants_no_orphans(event_id: int) -> bool:
    return Event.objects.filter(pk=event_id, no_orphans=True).exists()


def rows_of(event_id: int, seat_ids: Collection[int]) -> dict[Row, list[Neighbour]]:
    """The rows in which these seats are, whole."""
    wanted = Place.objects.filter(pk__in=Seat.objects.filter(pk__in=seat_ids).values("place"))
    rows: dict[Row, list[Neighbour]] = defaultdict(list)
    seats = Seat.objects.filter(
        event_id=event_id,
        section__in=wanted.values("section"),
        place__row__in=wanted.values("row"),
    )
    fields = ("pk", "state", "section_id", "place__row", "place__x", "place__y")
    for pk, state, section, row, x, y in seats.values_list(*fields):
        rows[section, row].append(Neighbour(pk, state == Seat.State.AVAILABLE, (x, y)))
    return rows


def _the_only(reservations: QuerySet[Reservation]) -> Hold:
    found = with_seats(reservations)
    if not found:
        raise NoReservation()
    return found[0]


def _described(row: ReservedSeat) -> dict[str, Any]:
    """Programs know a section and a price grade by its code, people by its name."""
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

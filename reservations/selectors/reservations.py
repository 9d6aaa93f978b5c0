"""Reservations and their seats, found through their owner."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db.models import Count, Exists, OuterRef, Q, QuerySet

from reservations.errors import NoReservation, TakenSeat
from reservations.models import HoldRequest, RequestedSeat, Reservation, Ticket
from ticketing.core.prepared_queries import PreparedQuery, ids_text
from ticketing.core.sql import rows
from ticketing.core.translated import translated
from ticketing.core.ttl_cache import ttl_cache
from ticketing.events.models import Event, Seat, Section
from waiting_queue.models import QueueJournal

State = Reservation.State

# Prepared statements: every page of somebody inside asks these, and building them with the ORM
# takes several times as long as running them.
#
# A grade's name is known unless the seat got another grade since; then only its code is.
SEATS = """
SELECT reserved.reservation_id, reserved.seat_id, reserved.price, reserved.grade,
       section.code AS section, section.name_ko AS section_ko, section.name_en AS section_en,
       place.row, place.number,
       CASE grade.code WHEN reserved.grade THEN grade.name_ko ELSE reserved.grade END AS grade_ko,
       CASE grade.code WHEN reserved.grade THEN grade.name_en ELSE reserved.grade END AS grade_en
FROM reservations_reservedseat AS reserved
JOIN ticketing_seat AS seat ON seat.id = reserved.seat_id
JOIN ticketing_place AS place ON place.id = seat.place_id
JOIN ticketing_section AS section ON section.id = place.section_id
JOIN ticketing_grade AS grade ON grade.id = seat.grade_id
WHERE reserved.reservation_id = ANY(%(reservations)s::bigint[])
ORDER BY reserved.seat_id
"""
CANCELLED_SEATS = SEATS.replace("reservations_reservedseat", "reservations_cancelledseat")
OWN_SEATS = """
SELECT reserved.seat_id AS id, reservation.code, reservation.state, reservation.deadline
FROM reservations_reservedseat AS reserved
JOIN reservations_reservation AS reservation ON reservation.id = reserved.reservation_id
WHERE reserved.live AND reservation.event_id = %(event)s::bigint
AND reservation.fan_id = %(fan)s::bigint
AND NOT (reservation.state = 'held' AND reservation.deadline <= %(now)s::timestamptz)
UNION
SELECT ticket.seat_id, reservation.code, reservation.state, reservation.deadline
FROM reservations_ticket AS ticket
JOIN reservations_reservation AS reservation ON reservation.id = ticket.reservation_id
WHERE ticket.event_id = %(event)s::bigint AND ticket.holder_id = %(fan)s::bigint
AND ticket.state = ANY(%(live)s::text[]) AND reservation.fan_id <> %(fan)s::bigint
ORDER BY id
"""

PEOPLE_AT_LIMIT = """
SELECT asked.event, taken.person
FROM unnest(%(events)s::bigint[], %(most)s::int[]) AS asked (event, most)
CROSS JOIN LATERAL (
    SELECT reservation.fan_id AS person
    FROM reservations_reservedseat AS reserved
    JOIN reservations_reservation AS reservation ON reservation.id = reserved.reservation_id
    WHERE reserved.live AND reservation.event_id = asked.event
    UNION ALL
    SELECT ticket.holder_id
    FROM reservations_ticket AS ticket
    JOIN reservations_reservation AS reservation ON reservation.id = ticket.reservation_id
    WHERE ticket.event_id = asked.event AND ticket.state = ANY(%(live)s::text[])
    AND ticket.holder_id <> reservation.fan_id
) AS taken
GROUP BY asked.event, asked.most, taken.person HAVING count(*) >= asked.most
"""

TAKEN_SEATS = """
SELECT seat.id, seat.state, (
    SELECT reservation.deadline
    FROM reservations_reservedseat AS reserved
    JOIN reservations_reservation AS reservation ON reservation.id = reserved.reservation_id
    WHERE reserved.seat_id = seat.id AND reserved.live AND reservation.state = 'held'
) AS deadline
FROM ticketing_seat AS seat
WHERE seat.id = ANY(%(seats)s::bigint[])
ORDER BY seat.id
"""
# A seat that was freed since it was refused: it can be tried again.
WHY_TAKEN = {"held": "held", "sold": "sold", "blocked": "unavailable", "available": "tried"}


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
    found = _BASKET.all(event=event_id, fan=fan_id)
    return [hold for hold in with_seats(found) if not hold.reservation.is_overdue(now)]


def own_seats(*, event_id: int, fan_id: int, now: datetime) -> list[OwnSeat]:
    """Every seat that counts for this person: held, bought, or transferred to them.

    Expired holds do not count.
    """
    values: dict[str, Any] = {"event": event_id, "fan": fan_id, "now": now}
    return [OwnSeat(**row) for row in rows(OWN_SEATS, values | {"live": [*map(str, Ticket.LIVE)]})]


def has_seats_to_come(fan_id: int, *, now: datetime) -> bool:
    """Whether seats of an event that asks for identities and is not over count for this account."""
    asks = {"event__identity_level": Event.IdentityLevel.IDENTITY, "event__starts_at__gt": now}
    bought = Reservation.objects.filter(fan_id=fan_id, state__in=Reservation.LIVE, **asks)
    given = Ticket.objects.filter(holder_id=fan_id, state__in=Ticket.LIVE, **asks)
    return bought.exists() or given.exists()


@ttl_cache(1)
def fans_with_seats(event_id: int) -> set[int]:
    """Everybody for whom `own_seats` may find a seat; also holds that just expired."""
    owners = Reservation.objects.filter(event_id=event_id, state__in=Reservation.LIVE)
    holders = Ticket.objects.filter(event_id=event_id, state__in=Ticket.LIVE).order_by()
    every = owners.order_by().values_list("fan_id").union(holders.values_list("holder_id"))
    return {fan for (fan,) in every}


def people_at_limit(events: Collection[Event]) -> dict[int, set[str]]:
    """Everybody with as many seats as a person may have: held, bought, or transferred to them.

    By event, in one statement for all of them.
    """
    values = {
        "events": ids_text(event.pk for event in events),
        "most": ids_text(event.seats_per_person for event in events),
        "live": [*map(str, Ticket.LIVE)],
    }
    people = defaultdict[int, set[str]](set)
    for row in rows(PEOPLE_AT_LIMIT, values):
        people[row["event"]].add(str(row["person"]))
    return people


def taken_seats(seat_ids: Collection[int]) -> list[TakenSeat]:
    """Why each of these seats can't be held, and until when somebody holds it."""
    found = rows(TAKEN_SEATS, {"seats": ids_text(seat_ids)})
    return [TakenSeat(row["id"], WHY_TAKEN[row["state"]], row["deadline"]) for row in found]


def seat_names(seat_ids: Collection[int]) -> list[tuple[Section, str, int]]:
    """(section, row, number) of these seats."""
    seats = Seat.objects.filter(pk__in=seat_ids).select_related("place__section").order_by("pk")
    return [(seat.place.section, seat.place.row, seat.place.number) for seat in seats]


def own_reservations_in(
    event_id: int, fan_id: int, states: Collection[str]
) -> QuerySet[Reservation]:
    return Reservation.objects.filter(event_id=event_id, fan_id=fan_id, state__in=states)


_BASKET = PreparedQuery(
    lambda it: Reservation.objects.filter(
        event_id=it("event"), fan_id=it("fan"), state__in=(State.HELD, State.PAYING)
    )
)


def with_seats(reservations: Iterable[Reservation]) -> list[ReservationWithSeats]:
    """The reservations with their seats, in two statements."""
    found = list(reservations)
    seats = _seats_by_reservation(SEATS, found)
    return [ReservationWithSeats(reservation, seats[reservation.pk]) for reservation in found]


def cancelled_seats(reservation: Reservation) -> list[dict[str, Any]]:
    """Seats that were cancelled while the order kept others, in the same form."""
    return _seats_by_reservation(CANCELLED_SEATS, [reservation])[reservation.pk]


def _seats_by_reservation(
    statement: str, reservations: list[Reservation]
) -> dict[int, list[dict[str, Any]]]:
    seats: dict[int, list[dict[str, Any]]] = defaultdict(list)
    ids = ids_text(reservation.pk for reservation in reservations)
    for row in rows(statement, {"reservations": ids}) if reservations else []:
        seats[row["reservation_id"]].append(_seat_details(row))
    return seats


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
    if found.state == HoldRequest.State.PENDING:
        ahead = RequestedSeat.objects.filter(seat_id__in=found.seats, request_id__lt=found.pk)
        totals = ahead.order_by().values_list("seat_id").annotate(Count("pk"))
        found.place = 1 + max((total for _, total in totals), default=0)
    return found


def _single(reservations: QuerySet[Reservation]) -> ReservationWithSeats:
    found = with_seats(reservations)
    if not found:
        raise NoReservation()
    return found[0]


def _seat_details(row: dict[str, Any]) -> dict[str, Any]:
    """Sections and grades by code, for programs, and by name, for people."""
    korean, english = row["grade_ko"], row["grade_en"]
    return {
        "id": row["seat_id"],
        "section": row["section"],
        "section_name": translated(row["section_ko"], row["section_en"]),
        "row": row["row"],
        "number": row["number"],
        "grade": row["grade"],
        "grade_name": translated(korean, english),
        "grade_names": {"ko": korean, "en": english},
        "price": row["price"],
    }

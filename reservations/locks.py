"""Row locks of reservations, and the statements that lock and write in one go (`sql/`).

A reservation is locked before its seats, seats by primary key, tickets after both. Who checks a
ticket in locks it alone. Who holds seats for somebody new
locks only seats, so nobody ever waits in a circle.
"""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field
from datetime import datetime
from functools import cache
from pathlib import Path
from random import random
from typing import Any

from django.db import IntegrityError, OperationalError, connection
from django.db.models import Exists, OuterRef
from psycopg.errors import DeadlockDetected, LockNotAvailable

from reservations import prepared
from reservations.errors import NoOffer, NoReservation, NoTicket, SeatsBusy, SeatsTaken
from reservations.models import (
    CheckIn,
    HoldRequest,
    Reservation,
    ReservedSeat,
    StandbyEntry,
    StandbyList,
    Ticket,
    TransferOffer,
)
from ticketing.events.models import Seat

FOLDER = Path(__file__).parent / "sql"
# Short: a row is locked for the milliseconds of one commit, so a longer wait means trouble.
PATIENCE = "500ms"
# Seats are about 20 units apart; across an aisle it is twice that.
BESIDE = 30
# So many choices of best seats are tried before it is said that there is none.
TRIES = 400


@dataclass(frozen=True)
class SeatChoice:
    """Which seats are wanted: these, or the best, or any places of a standing section."""

    kind: str
    quantity: int
    seats: Sequence[int] = ()
    grade: str = ""
    section: str = ""
    accessible: bool = False
    # Of the best, so many are looked at first; all of them only if need be.
    near: int | None = None


@dataclass(frozen=True)
class HoldResult:
    """What became of a hold; `stale` are holds in the way that ran out."""

    word: str
    id: int = 0
    deadline: datetime = datetime.max
    total: int = 0
    currency: str = ""
    earlier: int = 0
    mine: int = 0
    seats_per_person: int = 0
    taken: list[int] = field(default_factory=list)
    seats: list[dict[str, Any]] = field(default_factory=list)
    stale: list[int] = field(default_factory=list)


@dataclass(frozen=True)
class Ended:
    id: int
    event_id: int
    fan_id: int
    seats: list[int]
    kept: bool = False


def hold(
    *, event_id: int, fan_id: int, choice: SeatChoice, code: str, key: str, now: datetime
) -> HoldResult:
    """Lock, look and write in one round trip; by itself a transaction, or part of the caller's."""
    wanted: dict[str, Any] = asdict(choice) | {"seats": list(choice.seats)}
    wanted |= {"event": event_id, "fan": fan_id, "code": code, "key": key, "now": now}
    wanted |= {"patience": PATIENCE, "beside": BESIDE, "tries": TRIES}
    statement = _text("hold").replace("{choice}", _text(f"choose_{choice.kind}").rstrip())
    with _politely(choice.seats), connection.cursor() as cursor:
        prepared.run(cursor, _text("before_hold"), statement, wanted)
        while cursor.nextset():
            pass  # only the last statement has something to say
        (row,) = _rows(cursor)
    return HoldResult(**{name: value for name, value in row.items() if value is not None})


def expire(*, now: datetime, batch: int, ids: Sequence[int] | None = None) -> list[Ended]:
    """End holds that ran out, at most a batch; only those of `ids`, if given."""
    which = "true" if ids is None else "id = ANY(%(ids)s::bigint[])"
    statement = _keeping("expire", "event.id IN (SELECT event_id FROM due)")
    statement = statement.replace("{which}", which)
    with connection.cursor() as cursor:
        cursor.execute(statement, {"now": now, "batch": batch, "ids": list(ids or [])})
        return [Ended(**row) for row in _rows(cursor)]


def return_seats(*, event_id: int, seats: Sequence[int], now: datetime) -> bool:
    """Seats of a reservation that ended, locked already; whether they are kept for others."""
    luck = random()  # noqa: S311 - spreads returns, guards nothing
    wanted: dict[str, Any] = {"event": event_id, "seats": list(seats), "now": now, "luck": luck}
    with connection.cursor() as cursor:
        cursor.execute(_keeping("return_seats", "event.id = %(event)s"), wanted)
        return bool(_rows(cursor)[0]["kept"])


def claim_requests(*, now: datetime, lease: datetime, batch: int) -> list[int]:
    """The next requests whose turn it is, in their order; theirs until the lease ends."""
    wanted: dict[str, Any] = {"now": now, "lease": lease, "batch": batch}
    with connection.cursor() as cursor:
        cursor.execute(_text("claim_requests"), wanted)
        return sorted(row["id"] for row in _rows(cursor))


def refuse_the_rest(*, seats: Sequence[int], now: datetime) -> list[int]:
    with connection.cursor() as cursor:
        cursor.execute(_text("refuse_the_rest"), {"seats": list(seats), "now": now})
        return [row["id"] for row in _rows(cursor)]


def request_for_update(pk: int) -> HoldRequest:
    return HoldRequest.objects.select_for_update(no_key=True).get(pk=pk)


def reservation_for_update(code: str, **owner: Any) -> Reservation:
    """Found through its owner, if one is named: nobody learns of what is another's."""
    found = Reservation.objects.select_for_update(no_key=True).filter(code=code, **owner).first()
    if found is None:
        raise NoReservation()
    return found


def seats_of_reservation_for_update(reservation: Reservation) -> list[Seat]:
    """Its lock is held already."""
    theirs = Seat.objects.filter(reserved__reservation=reservation).order_by("pk")
    return list(theirs.select_for_update(no_key=True, of=("self",)))


def issue_tickets(*, reservation: Reservation, codes: Sequence[str], now: datetime) -> None:
    """One for each seat, with its first line of history; the reservation's lock is held."""
    wanted: Any = {"reservation": reservation.pk, "codes": list(codes), "now": now}
    with connection.cursor() as cursor:
        cursor.execute(_text("issue_tickets"), wanted)


def live_tickets_of_reservation_for_update(reservation: Reservation) -> list[Ticket]:
    """Its lock is held already."""
    theirs = Ticket.objects.filter(reservation=reservation, state__in=Ticket.LIVE)
    return list(theirs.order_by("pk").select_for_update(no_key=True))


def ticket_for_update(pk: int) -> Ticket:
    """Alone, for the door: nobody who holds it waits for anything else of the order."""
    return Ticket.objects.select_for_update(no_key=True).get(pk=pk)


def ticket_and_reservation_for_update(code: str, **owner: Any) -> Ticket:
    """Who writes another ticket of the order locks the order first, as refunds do."""
    found = Ticket.objects.filter(code=code, **owner).only("reservation_id").first()
    if found is None:
        raise NoTicket()
    Reservation.objects.select_for_update(no_key=True).get(pk=found.reservation_id)
    return ticket_for_update(found.pk)


def offer_for_update(code: str, **whose: Any) -> TransferOffer:
    """Its ticket's lock is held already."""
    offers = TransferOffer.objects.select_for_update(no_key=True)
    found = offers.filter(code=code, state=TransferOffer.State.OPEN, **whose).first()
    if found is None:
        raise NoOffer()
    return found


def check_in_for_update(pk: int) -> CheckIn:
    """Its ticket's lock is held already."""
    return CheckIn.objects.select_for_update(no_key=True).get(pk=pk)


def only_one_choice_of(*, event_id: int, fan_id: int) -> None:
    """The lock that `before_hold.sql` takes: what a person has is counted by one at a time."""
    with connection.cursor() as cursor:
        cursor.execute(_text("one_choice"), {"event": event_id, "fan": fan_id})


@contextmanager
def _politely(seats: Sequence[int]) -> Iterator[None]:
    """Who would have to wait too long is told so; what the constraint refused was taken."""
    try:
        yield
    except OperationalError as trouble:
        if isinstance(trouble.__cause__, LockNotAvailable | DeadlockDetected):
            raise SeatsBusy(seats=list(seats)) from trouble
        raise
    except IntegrityError as trouble:
        if "one_live_reservation_per_seat" in str(trouble):
            raise SeatsTaken(seats=list(seats)) from trouble
        raise


def standby_list_for_update(event_id: int) -> StandbyList | None:
    """Who has it offers this event's seats, alone; what another has is left to them."""
    lists = StandbyList.objects.select_for_update(skip_locked=True, no_key=True)
    return lists.filter(pk=event_id).first()


def standby_entry_for_update(**which: Any) -> StandbyEntry | None:
    entries = StandbyEntry.objects.select_for_update(no_key=True, of=("self",))
    return entries.filter(**which).order_by("pk").first()


def returned_seats_for_update(event_id: int, seat_ids: Collection[int]) -> list[int]:
    """Those of these seats that are still kept, and nobody's; locked."""
    kept = Seat.objects.select_for_update(no_key=True, of=("self",)).order_by("pk")
    kept = kept.filter(event_id=event_id, pk__in=seat_ids, returned__isnull=False)
    kept = kept.exclude(Exists(ReservedSeat.objects.filter(seat=OuterRef("pk"), live=True)))
    return [seat.pk for seat in kept if seat.state == Seat.State.HELD]


def _keeping(name: str, events: str) -> str:
    """A statement in which it is decided whether returned seats are kept."""
    keeping = _text("keeping").rstrip().replace("{events}", events)
    return _text(name).replace("{keeping}", keeping)


@cache
def _text(name: str) -> str:
    return (FOLDER / f"{name}.sql").read_text()


def _rows(cursor: Any) -> list[dict[str, Any]]:
    names = [column.name for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

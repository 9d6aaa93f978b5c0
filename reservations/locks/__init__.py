"""Row locks of reservations, and the statements that lock and write in one go (`sql/`).

Lock order: a reservation before its seats, seats by primary key, tickets after both. A check-in
locks only its ticket. A new hold locks only seats, so no cycle of waiting transactions can form.
"""

import json
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from random import random
from secrets import token_bytes
from typing import Any

from django.db import connection
from django.db.models import Exists, OuterRef

from reservations import sql
from reservations.errors import NoOffer, NoReservation, NoTicket
from reservations.locks.holds import (
    HOLD,
    NEIGHBOUR_DISTANCE,
    HoldResult,
    SeatChoice,
    ahold_seats,
    hold_seats,
)
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
from reservations.models.reservations import CODE_LENGTH, LETTERS
from ticketing.core.prepared_queries import ids_text
from ticketing.core.sql import columns, rows
from ticketing.events.models import Seat
from waiting_queue.services import Turn

# The first key of advisory locks for entry numbers; the second is the event.
ENTRY_NUMBERS = 1_902_019


@dataclass(frozen=True)
class EndedHold:
    """An expired hold; `kept` if its seats are kept for the standby list."""

    id: int
    event_id: int
    fan_id: int
    seats: list[int]
    kept: bool = False


def expire_holds(*, now: datetime, batch: int, ids: Sequence[int] | None = None) -> list[EndedHold]:
    """End at most a batch of expired holds; only those of `ids`, if given."""
    only = "true" if ids is None else "id = ANY(%(ids)s::bigint[])"
    statement = _keeping_returns("expire_holds", "event.id IN (SELECT event_id FROM due)")
    values: dict[str, Any] = {"now": now, "batch": batch, "ids": ids_text(ids or [])}
    found = rows(statement.replace("{filter}", only), values)
    return [EndedHold(**row) for row in found]


def return_seats(*, event_id: int, seats: Sequence[int], now: datetime) -> bool:
    """Return the locked seats of an ended reservation; True if they are kept for standby."""
    delay = random()  # noqa: S311 - spreads the returns, protects nothing
    values: dict[str, Any] = {"event": event_id, "seats": list(seats), "now": now, "delay": delay}
    with connection.cursor() as cursor:
        cursor.execute(_keeping_returns("return_seats", "event.id = %(event)s"), values)
        return bool(sql.rows(cursor)[0]["kept"])


def claim_requests(*, now: datetime, lease: datetime, batch: int) -> list[int]:
    """Claim the next hold requests until the lease ends; their ids in order."""
    values: dict[str, Any] = {"now": now, "lease": lease, "batch": batch}
    return sorted(row["id"] for row in rows(sql.statement("claim_requests"), values))


def refuse_waiting_requests(*, taken: list[dict[str, Any]], now: datetime) -> list[HoldRequest]:
    """Refuse every pending request for one of these seats, as `SeatsTaken` describes them."""
    seats = [one["seat"] for one in taken]
    with connection.cursor() as cursor:
        statement = sql.statement("refuse_waiting_requests")
        cursor.execute(statement, {"seats": seats, "taken": json.dumps(taken), "now": now})
        return [
            HoldRequest(**row | {"refusal": json.loads(row["refusal"])}) for row in sql.rows(cursor)
        ]


def request_for_update(pk: int) -> HoldRequest:
    return HoldRequest.objects.select_for_update(no_key=True).get(pk=pk)


def reservation_for_update(code: str, **owner: Any) -> Reservation:
    """Filtered by owner, if one is given, so that nobody learns of another's reservation."""
    found = Reservation.objects.select_for_update(no_key=True).filter(code=code, **owner).first()
    if found is None:
        raise NoReservation()
    return found


def seats_of_reservation_for_update(
    reservation: Reservation, only: Collection[int] | None = None
) -> list[Seat]:
    """The caller holds the reservation's lock."""
    theirs = Seat.objects.filter(reserved__reservation=reservation).order_by("pk")
    theirs = theirs if only is None else theirs.filter(pk__in=only)
    return list(theirs.select_for_update(no_key=True, of=("self",)))


def extend_for_payment(*, code: str, fan_id: int, now: datetime) -> dict[str, Any] | None:
    """Lock, decide and write in one statement; the row as it was, with `status` and `seats`."""
    text = _with_columns("extend_for_payment").replace("{extend_hold}", extension_sql())
    return next(iter(rows(text, {"code": code, "fan": fan_id, "now": now})), None)


def confirm_reservation(*, code: str, now: datetime) -> dict[str, Any] | None:
    """Lock, sell and issue tickets in one statement; the row as it was, with `seats` if sold."""
    text = _with_columns("confirm_reservation").replace("{sale}", sale_sql())
    return next(iter(rows(text, {"code": code} | sale_values(now))), None)


def issue_tickets(*, reservation: Reservation, now: datetime) -> None:
    """One for each seat, with its first change row; the caller holds the reservation's lock."""
    text = sql.statement("issue_missing_tickets").replace(
        "{tickets}", sql.statement("issue_tickets")
    )
    rows(text, {"reservation": reservation.pk} | sale_values(now))


def extension_sql() -> str:
    """For a statement that begins a payment: locks `reservation`, decides in `extension`."""
    return sql.statement("extend_hold").rstrip()


def sale_sql() -> str:
    """For a statement that has locked a reservation and selected it as `sale`: sells its seats."""
    return f"{sql.statement('sell_seats').rstrip()},\n{sql.statement('issue_tickets').rstrip()}"


def sale_values(now: datetime) -> dict[str, Any]:
    """The parameters of `sale_sql`."""
    return {"now": now, "letters": LETTERS, "code_length": CODE_LENGTH, "seed": token_bytes(16)}


def live_tickets_of_reservation_for_update(reservation: Reservation) -> list[Ticket]:
    """The caller holds the reservation's lock."""
    theirs = Ticket.objects.filter(reservation=reservation, state__in=Ticket.LIVE)
    return list(theirs.order_by("pk").select_for_update(no_key=True))


def ticket_for_update(pk: int) -> Ticket:
    """Only the ticket, for the door: its holder never waits for another lock of the order."""
    return Ticket.objects.select_for_update(no_key=True).get(pk=pk)


def ticket_and_reservation_for_update(code: str, **owner: Any) -> Ticket:
    """The reservation first, as refunds do: needed by whoever writes another ticket of it."""
    found = Ticket.objects.filter(code=code, **owner).only("reservation_id").first()
    if found is None:
        raise NoTicket()
    Reservation.objects.select_for_update(no_key=True).get(pk=found.reservation_id)
    return ticket_for_update(found.pk)


def offer_for_update(code: str, **whose: Any) -> TransferOffer:
    """The caller holds the ticket's lock."""
    offers = TransferOffer.objects.select_for_update(no_key=True)
    found = offers.filter(code=code, state=TransferOffer.State.OPEN, **whose).first()
    if found is None:
        raise NoOffer()
    return found


def check_in_for_update(pk: int) -> CheckIn:
    """The caller holds the ticket's lock."""
    return CheckIn.objects.select_for_update(no_key=True).get(pk=pk)


def lock_person_limit(*, event_id: int, fan_id: int) -> None:
    """The advisory lock that `hold_seats` takes too: a person's seats are counted under it."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT lock_person_limit(%s, %s)", [event_id, fan_id])


def lock_entry_numbers(event_id: int) -> None:
    """Advisory, until the commit: numbers of an event are given by one at a time.

    Not the event's row, for which everybody who holds a seat would wait.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s, %s)", [ENTRY_NUMBERS, event_id % 2**31])


def assign_entry_numbers(*, event_id: int, seed: str = "") -> int:
    """Number what has no number, in the order of sale or of a draw; the caller holds the lock."""
    drawn = "sha256(convert_to(%(seed)s || standing.code, 'UTF8'))"
    order = drawn if seed else "standing.created_at, standing.id"
    with connection.cursor() as cursor:
        text = sql.statement("assign_entry_numbers").replace("{order}", order)
        cursor.execute(text, {"event": event_id, "seed": seed})
        return cursor.rowcount


def stop_earlier_holds(*, event_id: int, fan_id: int, turn: Turn, now: datetime) -> None:
    """Afterwards no hold that was checked before this take-over of the pass can succeed."""
    values: Any = {"event": event_id, "fan": fan_id, "now": now}
    values |= {"stay": turn.stay, "moves": turn.moves}
    with connection.cursor() as cursor:
        cursor.execute(sql.statement("stop_earlier_holds"), values)


def standby_list_for_update(event_id: int) -> StandbyList | None:
    """Held by whoever offers this event's seats; None if another worker has it."""
    lists = StandbyList.objects.select_for_update(skip_locked=True, no_key=True)
    return lists.filter(pk=event_id).first()


def standby_entry_for_update(**which: Any) -> StandbyEntry | None:
    entries = StandbyEntry.objects.select_for_update(no_key=True, of=("self",))
    return entries.filter(**which).order_by("pk").first()


def returned_seats_for_update(event_id: int, seat_ids: Collection[int]) -> list[int]:
    """Lock these seats; the ids of those that are still kept and that nobody has."""
    kept = Seat.objects.select_for_update(no_key=True, of=("self",)).order_by("pk")
    kept = kept.filter(event_id=event_id, pk__in=seat_ids, returned__isnull=False)
    kept = kept.exclude(Exists(ReservedSeat.objects.filter(seat=OuterRef("pk"), live=True)))
    return [seat.pk for seat in kept if seat.state == Seat.State.HELD]


def _with_columns(name: str) -> str:
    return sql.statement(name).replace("{reservation}", columns(Reservation, "reservation"))


def _keeping_returns(name: str, events: str) -> str:
    """A statement that includes `events_keeping_returns.sql` for these events."""
    keeping = sql.statement("events_keeping_returns").rstrip().replace("{events}", events)
    return sql.statement(name).replace("{events_keeping_returns}", keeping)

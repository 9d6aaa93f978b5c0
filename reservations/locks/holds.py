"""The database function that holds seats: locks, decides and writes in one round trip."""

from collections.abc import Collection, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, fields
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, OperationalError, connection
from psycopg.errors import DeadlockDetected, LockNotAvailable

from reservations.errors import SeatsBusy, SeatsTaken, TakenSeat
from ticketing.core.async_database import TIMEOUT_SECONDS, async_database
from waiting_queue.services import OPEN_SALE, Turn

# In plan units: seats are about 20 apart, and twice that across an aisle; as in `choose_best.sql`.
NEIGHBOUR_DISTANCE = 30
# Best seats are looked for among so many of the nearest first: enough for everybody who asks in the
# same moment, few enough to sort at once.
NEAR = 60


@dataclass(frozen=True)
class SeatChoice:
    """Which seats are wanted; `kind` names the statement that chooses them."""

    kind: str
    quantity: int
    seats: Sequence[int] = ()
    grade: str = ""
    section: str = ""
    accessible: bool = False
    # Best seats: so many of the nearest are considered before all of them; None: all at once.
    near: int | None = None

    @classmethod
    def named(cls, seat_ids: Collection[int]) -> "SeatChoice":
        """Exactly these seats."""
        return cls("seats", len(set(seat_ids)), sorted(set(seat_ids)))

    @classmethod
    def best(cls, *, grade: str, quantity: int, accessible: bool = False) -> "SeatChoice":
        """The best seats of a grade, side by side.

        `accessible`: wheelchair places with their companions' seats, which are never given
        otherwise.
        """
        near = None if accessible else NEAR
        return cls("best", quantity, grade=grade, accessible=accessible, near=near)

    @classmethod
    def standing(cls, *, section: str, quantity: int, grade: str = "") -> "SeatChoice":
        """Any places of a standing section."""
        return cls("places", quantity, grade=grade, section=section)


@dataclass(frozen=True)
class HoldResult:
    """The answer of `hold_seats.sql`; `stale` are expired holds that block this one."""

    status: str
    id: int = 0
    deadline: datetime = datetime.max
    total: int = 0
    currency: str = ""
    mine: int = 0
    seats_per_person: int = 0
    taken: Sequence[int] = ()
    stale: Sequence[int] = ()
    # As texts: id, section, row, number, grade, its names in Korean and English, price.
    details: Sequence[Sequence[str]] = ()

    @property
    def seats(self) -> list[dict[str, Any]]:
        return [
            {
                "id": int(seat),
                "section": section,
                "row": row,
                "number": int(number),
                "grade": grade,
                "grade_names": {"ko": ko, "en": en},
                "price": int(price),
            }
            for seat, section, row, number, grade, ko, en, price in self.details
        ]


HOLD_ARGUMENTS = 16
HOLD = "SELECT * FROM hold_seats({})"
HOLD_IN_THREAD = HOLD.format(", ".join(["%s"] * HOLD_ARGUMENTS))
HOLD_IN_LOOP = HOLD.format(", ".join(f"${number + 1}" for number in range(HOLD_ARGUMENTS)))


def hold_seats(
    *,
    event_id: int,
    fan_id: int,
    choice: SeatChoice,
    code: str,
    key: str,
    now: datetime,
    turn: Turn = OPEN_SALE,
    wait_ms: int | None = None,
) -> HoldResult:
    """Lock, decide and write in one round trip; its own transaction, or part of the caller's.

    `wait_ms` is how long to wait for locked rows, `SEAT_WAIT_SECONDS` by default.
    """
    wait_ms = settings.SEAT_WAIT_SECONDS * 1000 if wait_ms is None else wait_ms
    values = _hold_values(event_id, fan_id, choice, code, key, now, turn, wait_ms)
    with _lock_errors_as_refusals(choice.seats), connection.cursor() as cursor:
        cursor.execute(HOLD_IN_THREAD, values)
        return _hold_result(cursor.fetchone())


async def ahold_seats(
    *,
    event_id: int,
    fan_id: int,
    choice: SeatChoice,
    code: str,
    key: str,
    now: datetime,
    turn: Turn = OPEN_SALE,
) -> HoldResult:
    """The same for coroutines, always in its own transaction.

    Waiting for locks is no outage: the database has that much longer to answer.
    """
    wait = settings.SEAT_WAIT_SECONDS
    values = _hold_values(event_id, fan_id, choice, code, key, now, turn, wait * 1000)
    timeout = TIMEOUT_SECONDS + wait
    with _lock_errors_as_refusals(choice.seats):
        row = await async_database().fetch_row(HOLD_IN_LOOP, values, timeout=timeout)
        return _hold_result(row)


def _hold_values(
    event_id: int,
    fan_id: int,
    choice: SeatChoice,
    code: str,
    key: str,
    now: datetime,
    turn: Turn,
    wait_ms: int,
) -> list[Any]:
    """The arguments of the function, in order."""
    wanted = [choice.quantity, list(choice.seats), choice.grade, choice.section]
    wanted += [choice.accessible, choice.near]
    checked = [turn.party, turn.stay, turn.moves]
    return [choice.kind, event_id, fan_id, *wanted, code, key, now, wait_ms, *checked]


def _hold_result(row: Sequence[Any]) -> HoldResult:
    names = (field.name for field in fields(HoldResult))
    return HoldResult(
        **{name: value for name, value in zip(names, row, strict=True) if value is not None}
    )


@contextmanager
def _lock_errors_as_refusals(seats: Sequence[int]) -> Iterator[None]:
    """A lock timeout becomes SeatsBusy, a violated seat constraint SeatsTaken."""
    try:
        yield
    except OperationalError as error:
        if isinstance(error.__cause__, LockNotAvailable | DeadlockDetected):
            raise SeatsBusy(seats=list(seats)) from error
        raise
    except IntegrityError as error:
        if "one_live_reservation_per_seat" in str(error):
            raise SeatsTaken.because(TakenSeat(seat, "held") for seat in seats) from error
        raise

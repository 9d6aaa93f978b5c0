"""What the console shows of a sale, gathered from every app. Never writes."""

from collections import defaultdict
from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from django.db import connection
from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Mod

from payments.models import Payment
from reservations.models import Reservation, ReservedSeat
from reservations.selectors import ReservationWithSeats, own_reservations
from ticketing.accounts.models import User
from ticketing.console.models import Autopilot, Sample
from ticketing.core import clock
from ticketing.events.models import Event, EventChange, Grade, Seat
from waiting_queue.models import BlockAppeal, QueueChange, QueueJournal, SaleQueue

RUNNING = (
    *(SaleQueue.State.LOBBY, SaleQueue.State.OPEN),
    *(SaleQueue.State.PAUSED, SaleQueue.State.DRAINING),
)
# Payments that failed within so long are failing now.
FAILING = timedelta(minutes=5)
# A chart of a whole sale has no more points than this, however long it takes.
MOST_POINTS = 1_000
STEP = 10
States = Seat.State


def running_queues() -> list[SaleQueue]:
    queues = SaleQueue.objects.filter(state__in=RUNNING).select_related("event", "autopilot")
    return list(queues.order_by("opens_at", "pk"))


def coming_queues() -> QuerySet[SaleQueue]:
    scheduled = SaleQueue.objects.filter(state=SaleQueue.State.SCHEDULED).select_related("event")
    return scheduled.exclude(event__state=Event.State.CANCELLED).order_by("opens_at", "pk")


def counts_of(event_ids: Collection[int], now: datetime) -> dict[int, dict[str, Any]]:
    """Seats by grade and money, of several sales at once: four statements, however many."""
    seats, paying = _seats(event_ids), _seats_being_paid(event_ids)
    money = _money(event_ids, now)
    counted: dict[int, dict[str, Any]] = {}
    for event_id, grades in _grades(event_ids).items():
        rows = [_grade(grade, seats[grade.pk], paying[event_id, grade.code]) for grade in grades]
        sums = {name: sum(row[name] for row in rows) for name in SUMMED}
        counted[event_id] = {"seats": rows, **sums, **money[event_id]}
    return counted


SUMMED = ("free", "held", "paying", "sold", "held_back")


def _grade(grade: Grade, states: dict[str, int], paying: int) -> dict[str, Any]:
    """Seats that are being paid for are held, too: they are told apart here."""
    return {
        "code": grade.code,
        "name_ko": grade.name_ko,
        "name_en": grade.name_en,
        "free": states.get(States.AVAILABLE, 0),
        "held": max(states.get(States.HELD, 0) - paying, 0),
        "paying": paying,
        "sold": states.get(States.SOLD, 0),
        "held_back": states.get(States.BLOCKED, 0),
    }


def _grades(event_ids: Collection[int]) -> dict[int, list[Grade]]:
    found: dict[int, list[Grade]] = {pk: [] for pk in event_ids}
    for grade in Grade.objects.filter(event_id__in=event_ids).order_by("order", "pk"):
        found[grade.event_id].append(grade)
    return found


def _seats(event_ids: Collection[int]) -> dict[int, dict[str, int]]:
    found: dict[int, dict[str, int]] = defaultdict(dict)
    seats = Seat.objects.filter(event_id__in=event_ids).order_by()
    for grade, state, n in seats.values_list("grade_id", "state").annotate(Count("pk")):
        found[grade][state] = n
    return found


def _seats_being_paid(event_ids: Collection[int]) -> dict[tuple[int, str], int]:
    rows = ReservedSeat.objects.filter(
        reservation__event_id__in=event_ids, reservation__state=Reservation.State.PAYING
    ).order_by()
    counted = rows.values_list("reservation__event_id", "grade").annotate(Count("pk"))
    return defaultdict(int, {(event, grade): n for event, grade, n in counted})


def _money(event_ids: Collection[int], now: datetime) -> dict[int, dict[str, int]]:
    payments = Payment.objects.filter(reservation__event_id__in=event_ids).order_by()
    failed = Q(state=Payment.State.FAILED, settled_at__gt=now - FAILING)
    rows = payments.values_list("reservation__event_id").annotate(
        money=Sum(F("charged") - F("refunded")),
        failing=Count("pk", filter=failed),
        open=Count("pk", filter=Q(state__in=Payment.OPEN)),
    )
    found = {pk: {"money": 0, "failing": 0, "open": 0} for pk in event_ids}
    for event_id, money, failing, open_ones in rows:
        found[event_id] = {"money": money, "failing": failing, "open": open_ones}
    return found


def database_times() -> dict[str, float]:
    """How long PostgreSQL takes to answer, and since when somebody has waited for a lock there."""
    began = clock.monotonic()
    with connection.cursor() as cursor:
        cursor.execute(LONGEST_WAIT)
        (waited,) = cursor.fetchone()
    took = 1000 * (clock.monotonic() - began)
    return {"database_ms": round(took, 2), "lock_ms": round(float(waited), 1)}


LONGEST_WAIT = """
SELECT coalesce(max(extract(epoch FROM clock_timestamp() - query_start)) * 1000, 0)
FROM pg_stat_activity
WHERE datname = current_database() AND state = 'active' AND wait_event_type IN ('Lock', 'LWLock')
"""


def room_for(event_id: int, *, called: int, inside: int) -> int:
    """How many more could come in and find a free seat, if all who are in without one take one."""
    free = Seat.objects.filter(event_id=event_id, state=States.AVAILABLE).count()
    holding = Reservation.objects.filter(
        event_id=event_id, state__in=[Reservation.State.HELD, Reservation.State.PAYING]
    )
    holders = holding.order_by().values("fan").distinct().count()
    return max(free - called - max(inside - holders, 0), 0)


def course_of(event_id: int, *, after: int = 0, before: int | None = None) -> list[list[Any]]:
    """The rows of a sale in the database, thinned so that a chart can show them."""
    rows = Sample.objects.filter(event_id=event_id, second__gt=after).order_by("second")
    if before is not None:
        rows = rows.filter(second__lt=before)
    every = STEP * -(-rows.count() // MOST_POINTS)
    if every > STEP:
        rows = rows.annotate(rest=Mod("second", every)).filter(rest__lt=STEP)
    return list(rows.values_list("figures", flat=True))


# -- what was done, and what waits for an answer ---------------------------------------------------


def recent_changes(event_id: int, most: int) -> list[QueueChange | EventChange]:
    """Changes of the queue and of the event in one list, latest first."""
    queue = QueueChange.objects.filter(queue_id=event_id).select_related("by")[:most]
    event = EventChange.objects.filter(event_id=event_id).select_related("by")[:most]
    both: list[QueueChange | EventChange] = [*queue, *event]
    return sorted(both, key=lambda change: change.at, reverse=True)[:most]


def autopilot_of(event_id: int) -> Autopilot | None:
    return Autopilot.objects.filter(pk=event_id).first()


def autopilot_steps(event_id: int, most: int) -> list[QueueChange]:
    """What the autopilot did, latest first."""
    own = QueueChange.objects.filter(queue_id=event_id, by=None, why__startswith="autopilot: ")
    return list(own[:most])


def open_appeals(event_id: int) -> list[BlockAppeal]:
    appeals = BlockAppeal.objects.filter(queue_id=event_id, state=BlockAppeal.State.OPEN)
    return list(appeals.select_related("person").order_by("pk"))


# -- one person ------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Story:
    """What happened to somebody in one sale."""

    journal: list[QueueJournal]
    reservations: list[ReservationWithSeats]
    payments: list[Payment]
    appeals: list[BlockAppeal]
    changes: list[QueueChange]

    @property
    def since(self) -> datetime | None:
        """Since when they are where they are."""
        return self.journal[0].at if self.journal else None


def story_of(*, event_id: int, user: User) -> Story:
    """Latest first, and no more of it than somebody reads."""
    journal = QueueJournal.objects.filter(event_id=event_id, person=user.pk).order_by("-pk")
    payments = Payment.objects.filter(reservation__event_id=event_id, fan=user)
    appeals = BlockAppeal.objects.filter(queue_id=event_id, person=user)
    changes = QueueChange.objects.filter(queue_id=event_id, what=f"person {user.pk}")
    return Story(
        journal=list(journal[:MOST_ENTRIES]),
        reservations=own_reservations(event_id=event_id, fan_id=user.pk)[:MOST_ENTRIES],
        payments=list(payments.select_related("reservation").order_by("-pk")[:MOST_ENTRIES]),
        appeals=list(appeals.select_related("answered_by").order_by("-pk")[:MOST_ENTRIES]),
        changes=list(changes.select_related("by")[:MOST_ENTRIES]),
    )


MOST_ENTRIES = 50

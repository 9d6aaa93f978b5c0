"""Sales on the console: their queues, seats, money and stored samples."""

from collections import defaultdict
from collections.abc import Collection
from datetime import datetime, timedelta
from typing import Any

from django.db.models import Count, F, Q, QuerySet, Sum
from django.db.models.functions import Mod

from payments.models import Payment
from reservations.models import Reservation, ReservedSeat
from ticketing.console.models import Sample
from ticketing.core.errors import NotFound
from ticketing.core.prepared_queries import PreparedQuery
from ticketing.events.models import Event, Grade, Seat
from waiting_queue.models import SaleQueue

RUNNING = (
    *(SaleQueue.State.LOBBY, SaleQueue.State.OPEN),
    *(SaleQueue.State.PAUSED, SaleQueue.State.DRAINING),
)
# A failed payment counts as failing for this long.
FAILING_FOR = timedelta(minutes=5)
# A chart of a whole sale has at most this many points.
MAX_POINTS = 1_000
# One sample in this many seconds is stored in PostgreSQL.
SAMPLE_SECONDS = 10
SUMMED = ("free", "held", "paying", "sold", "held_back")


_RUNNING_QUEUES = PreparedQuery(
    lambda it: (
        SaleQueue.objects.filter(state__in=RUNNING)
        .select_related("event", "autopilot")
        .order_by("opens_at", "pk")
    )
)


def running_queues() -> list[SaleQueue]:
    return _RUNNING_QUEUES.all()


def queue_of(event_id: int) -> SaleQueue:
    queue = SaleQueue.objects.select_related("event").filter(pk=event_id).first()
    if queue is None:
        raise NotFound()
    return queue


def event_of(event_id: int) -> Event:
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        raise NotFound()
    return event


def coming_queues() -> QuerySet[SaleQueue]:
    scheduled = SaleQueue.objects.filter(state=SaleQueue.State.SCHEDULED).select_related("event")
    return scheduled.exclude(event__state=Event.State.CANCELLED).order_by("opens_at", "pk")


def sale_counts(event_ids: Collection[int], now: datetime) -> dict[int, dict[str, Any]]:
    """Seats by grade, and money, of several sales in four statements."""
    seats, paying = _seats(event_ids), _seats_being_paid(event_ids)
    money = _money(event_ids, now)
    counted: dict[int, dict[str, Any]] = {}
    for event_id, grades in _grades(event_ids).items():
        rows = [_grade(grade, seats[grade.pk], paying[event_id, grade.code]) for grade in grades]
        sums = {name: sum(row[name] for row in rows) for name in SUMMED}
        counted[event_id] = {"seats": rows, **sums, **money[event_id]}
    return counted


def _grade(grade: Grade, states: dict[str, int], paying: int) -> dict[str, Any]:
    """A seat being paid for is also in the state held; here it is counted as paying only."""
    return {
        "code": grade.code,
        "name_ko": grade.name_ko,
        "name_en": grade.name_en,
        "free": states.get(Seat.State.AVAILABLE, 0),
        "held": max(states.get(Seat.State.HELD, 0) - paying, 0),
        "paying": paying,
        "sold": states.get(Seat.State.SOLD, 0),
        "held_back": states.get(Seat.State.BLOCKED, 0),
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
    failed = Q(state=Payment.State.FAILED, settled_at__gt=now - FAILING_FOR)
    rows = payments.values_list("reservation__event_id").annotate(
        money=Sum(F("charged") - F("refunded")),
        failing=Count("pk", filter=failed),
        open=Count("pk", filter=Q(state__in=Payment.OPEN)),
    )
    found = {pk: {"money": 0, "failing": 0, "open": 0} for pk in event_ids}
    for event_id, money, failing, open_ones in rows:
        found[event_id] = {"money": money, "failing": failing, "open": open_ones}
    return found


def room_for(event_id: int, *, called: int, inside: int) -> int:
    """How many more people would find a free seat, if everyone inside without one takes one."""
    free = Seat.objects.filter(event_id=event_id, state=Seat.State.AVAILABLE).count()
    holding = Reservation.objects.filter(
        event_id=event_id, state__in=[Reservation.State.HELD, Reservation.State.PAYING]
    )
    holders = holding.order_by().values("fan").distinct().count()
    return max(free - called - max(inside - holders, 0), 0)


def stored_samples(event_id: int, *, after: int = 0, before: int | None = None) -> list[list[Any]]:
    """The chart rows of a sale in PostgreSQL, thinned to at most MAX_POINTS."""
    rows = Sample.objects.filter(event_id=event_id, second__gt=after).order_by("second")
    if before is not None:
        rows = rows.filter(second__lt=before)
    every = SAMPLE_SECONDS * -(-rows.count() // MAX_POINTS)
    if every > SAMPLE_SECONDS:
        rows = rows.annotate(rest=Mod("second", every)).filter(rest__lt=SAMPLE_SECONDS)
    return list(rows.values_list("figures", flat=True))

"""What is true of the whole site, for Prometheus: read by the worker when somebody reads it.

Every worker tells the same, so a reader takes the maximum. Labels have few values: rehearsals are
left out, and no more than `MAX_EVENTS` running sales are told.
"""

import logging
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from datetime import datetime, timedelta

from celery import current_app
from django.db import DatabaseError, connection
from django.db.models import Count, Min, Q
from kombu.exceptions import OperationalError as BrokerError
from prometheus_client.core import GaugeMetricFamily, Metric
from redis.exceptions import RedisError

from payments.models import OutboxMessage, Payment, Refund
from payments.selectors import breaker_state
from reservations.models import Reservation
from ticketing.console import selectors, store
from ticketing.console.models import Reconciliation
from ticketing.console.services.alerts import EXPECTED_PROCESSES, SHOWN_FOR
from ticketing.core import clock
from ticketing.events.selectors import is_rehearsal, without_rehearsals
from waiting_queue import selectors as queues
from waiting_queue.models import SaleQueue

log = logging.getLogger(__name__)
Row = tuple[str, tuple[str, ...], float]

MAX_EVENTS = 50
# Readers within this time get the same figures; nobody waits longer than this for new ones.
FRESH_SECONDS, PATIENCE_SECONDS = 5.0, 3.0
# A sample of seats and money that is older says nothing.
SAMPLE_SECONDS = 60
DAY = timedelta(days=1)
PLACES = ("lobby", "waiting", "ready", "inside")
SEATS = ("free", "held", "paying", "sold", "held_back")
TASK_QUEUES = ("celery", "holds", "payments", "mail", "tick")
BREAKER_STATES = ("closed", "half_open", "open")
OUTAGES = (RedisError, DatabaseError, BrokerError, OSError)
UNDER_WAY = (*Payment.OPEN, Payment.State.REFUNDING)

FAMILIES: dict[str, tuple[str, list[str]]] = {
    "site_part_readable": ("Whether this part of the figures could be read.", ["part"]),
    "site_read_age_seconds": ("How old these figures are.", []),
    "site_processes": ("Processes with a heartbeat.", ["kind"]),
    "site_queue_people": ("People of a line.", ["event", "place"]),
    "site_queue_rate": ("People called per second, as measured.", ["event"]),
    "site_queue_tick_age_seconds": ("Since the last tick of a line that runs.", ["event"]),
    "site_journal_entries": ("Entries not copied to PostgreSQL yet.", ["event"]),
    "site_journal_age_seconds": ("Age of the oldest of them.", ["event"]),
    "site_seats": ("Seats of a running sale.", ["event", "state"]),
    "site_sale_money": ("Charged minus refunded.", ["event", "currency"]),
    "site_reservations": ("Live holds, and those being paid.", ["state"]),
    "site_payments": ("Payments of the last day, and all under way.", ["state"]),
    "site_payment_oldest_seconds": ("Age of the oldest payment or refund under way.", []),
    "site_payment_overdue_seconds": ("By how much the next check of one is late.", []),
    "site_refunds": ("Refunds under way, and those refused in the last week.", ["state"]),
    "site_outbox": ("Messages that wait, and those given up.", ["state"]),
    "site_outbox_overdue_seconds": ("By how much the next message is late.", []),
    "site_differences": ("Differences found by the reconciliations of the last week.", []),
    "site_gateway_breaker": ("1 for the state of the gateway's breaker.", ["state"]),
    "site_task_queue": ("Tasks that wait for a worker.", ["queue"]),
    "site_database_seconds": ("How long PostgreSQL takes to answer.", []),
    "site_database_lock_seconds": ("The longest current wait for a lock.", []),
    "site_database_connections": ("Connections of all sites to PostgreSQL.", []),
    "site_database_max_connections": ("How many it allows.", []),
    "site_redis_seconds": ("How long Redis takes to answer a PING.", []),
    "site_redis_memory_bytes": ("Memory used by Redis.", []),
    "site_redis_memory_limit_bytes": ("How much it may use.", []),
}


class SiteMetrics:
    """A collector. A server that hangs delays its own part only: its last figures count."""

    def __init__(self) -> None:
        self._thread = ThreadPoolExecutor(1, thread_name_prefix="site-metrics")
        self._reading: Future[None] | None = None
        self._rows: list[Row] = []
        self._read_at: float | None = None

    def describe(self) -> Iterable[Metric]:
        return [GaugeMetricFamily(name, text) for name, (text, _) in FAMILIES.items()]

    def collect(self) -> Iterable[Metric]:
        self._refresh()
        found = {
            name: GaugeMetricFamily(name, text, labels=labels)
            for name, (text, labels) in FAMILIES.items()
        }
        for name, labels, value in self._rows:
            found[name].add_metric(labels, value)
        if self._read_at is not None:
            found["site_read_age_seconds"].add_metric((), clock.monotonic() - self._read_at)
        return found.values()

    def _refresh(self) -> None:
        is_fresh = self._read_at and clock.monotonic() - self._read_at < FRESH_SECONDS
        if not is_fresh and (self._reading is None or self._reading.done()):
            self._reading = self._thread.submit(self._read)
        if self._reading:
            wait([self._reading], timeout=PATIENCE_SECONDS)

    def _read(self) -> None:
        try:
            self._rows, self._read_at = list(site_rows(now=clock.now())), clock.monotonic()
        finally:
            connection.close()  # one more connection per worker is not planned for


def site_rows(*, now: datetime) -> Iterator[Row]:
    """Every figure. A part whose server is away is missing, and reported as not readable."""
    for part, read in PARTS.items():
        rows, is_readable = list[Row](), True
        try:
            rows = list(read(now))
        except Exception as error:
            is_readable, is_outage = False, isinstance(error, OUTAGES)
            level = logging.DEBUG if is_outage else logging.ERROR
            log.log(level, "no figures of %s", part, exc_info=error)
        yield "site_part_readable", (part,), is_readable
        yield from rows


def _processes(now: datetime) -> Iterator[Row]:
    alive = [process.kind for process in store.processes(now) if not process.is_silent]
    for kind in EXPECTED_PROCESSES:
        yield "site_processes", (kind,), alive.count(kind)


def _lines(now: datetime) -> Iterator[Row]:
    running = _running_sales()
    for event_id, overview in queues.overviews(running, now=now).items():
        if not overview.reachable:
            raise RedisError("the line can't be read")
        event = (str(event_id),)
        for place in PLACES:
            yield "site_queue_people", (*event, place), getattr(overview, place)
        yield "site_queue_rate", event, overview.rate
        yield "site_journal_entries", event, overview.backlog
        if overview.tick_age is not None:
            yield "site_queue_tick_age_seconds", event, overview.tick_age
        age = queues.journal_age(event_id, now=now) if overview.backlog else 0.0
        yield "site_journal_age_seconds", event, age


def _sales(now: datetime) -> Iterator[Row]:
    """As the console's samples have counted it."""
    running = [queue.pk for queue in _running_sales()]
    for event_id, samples in (store.latest_samples(running, 1) if running else {}).items():
        if not samples or now.timestamp() - samples[0]["second"] > SAMPLE_SECONDS:
            continue
        for state in SEATS:
            yield "site_seats", (str(event_id), state), samples[0][state]
        currency = samples[0]["currency"]
        yield "site_sale_money", (str(event_id), currency), samples[0]["money"]


def _running_sales() -> list[SaleQueue]:
    real = [queue for queue in selectors.running_queues() if not is_rehearsal(queue.pk)]
    return real[:MAX_EVENTS]


def _money(now: datetime) -> Iterator[Row]:
    payments = Payment.objects.filter(without_rehearsals("reservation__event_id")).order_by()
    recent = payments.filter(Q(created_at__gt=now - DAY) | Q(due_at__isnull=False))
    by_state = dict(recent.values_list("state").annotate(Count("pk")))
    for state in Payment.State.values:
        yield "site_payments", (state,), by_state.get(state, 0)
    under_way = payments.filter(state__in=UNDER_WAY, due_at__isnull=False)
    first = under_way.aggregate(oldest=Min("created_at"), due=Min("due_at"))
    yield "site_payment_oldest_seconds", (), _age(first["oldest"], now)
    yield "site_payment_overdue_seconds", (), _age(first["due"], now)
    refunds = Refund.objects.filter(without_rehearsals("payment__reservation__event_id"))
    requested = refunds.filter(state=Refund.State.REQUESTED)
    refused = refunds.filter(state=Refund.State.REFUSED, ended_at__gt=now - SHOWN_FOR)
    yield "site_refunds", (Refund.State.REQUESTED,), requested.count()
    yield "site_refunds", (Refund.State.REFUSED,), refused.count()
    recent_days = Reconciliation.objects.filter(at__gt=now - SHOWN_FOR)
    found = recent_days.values_list("differences", flat=True)
    yield "site_differences", (), sum(map(len, found))


def _holds(now: datetime) -> Iterator[Row]:
    live = (Reservation.State.HELD, Reservation.State.PAYING)
    rows = Reservation.objects.filter(without_rehearsals(), state__in=live).order_by()
    counts = dict(rows.values_list("state").annotate(Count("pk")))
    for state in live:
        yield "site_reservations", (state,), counts.get(state, 0)


def _outbox(now: datetime) -> Iterator[Row]:
    for state in (OutboxMessage.State.WAITING, OutboxMessage.State.DEAD):
        yield "site_outbox", (state,), OutboxMessage.objects.filter(state=state).count()
    waiting = OutboxMessage.objects.filter(state=OutboxMessage.State.WAITING)
    due = waiting.aggregate(due=Min("due_at"))["due"]
    yield "site_outbox_overdue_seconds", (), _age(due, now)


def _gateway(now: datetime) -> Iterator[Row]:
    current = breaker_state().state
    for state in BREAKER_STATES:
        yield "site_gateway_breaker", (state,), state == current


def _task_queues(now: datetime) -> Iterator[Row]:
    with current_app.connection_for_read() as broker:
        channel = broker.default_channel
        for queue in TASK_QUEUES:
            yield "site_task_queue", (queue,), channel._size(queue)


def _database(now: datetime) -> Iterator[Row]:
    times = selectors.database_times()
    yield "site_database_seconds", (), times["database_ms"] / 1000
    yield "site_database_lock_seconds", (), times["lock_ms"] / 1000
    used, allowed = selectors.database_connections()
    yield "site_database_connections", (), used
    yield "site_database_max_connections", (), allowed


def _redis(now: datetime) -> Iterator[Row]:
    memory = store.memory()
    yield "site_redis_seconds", (), store.ping_ms() / 1000
    yield "site_redis_memory_bytes", (), memory.used
    yield "site_redis_memory_limit_bytes", (), memory.limit


def _age(moment: datetime | None, now: datetime) -> float:
    return max((now - moment).total_seconds(), 0.0) if moment else 0.0


PARTS: dict[str, Callable[[datetime], Iterator[Row]]] = {
    "processes": _processes,
    "lines": _lines,
    "sales": _sales,
    "money": _money,
    "holds": _holds,
    "outbox": _outbox,
    "gateway": _gateway,
    "task_queues": _task_queues,
    "database": _database,
    "redis": _redis,
}

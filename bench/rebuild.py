"""A line that Redis has lost: copying its journal to PostgreSQL, and rebuilding it from there."""

import resource
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

from bench.database import prepare_database
from bench.machine import cpu_by_kind
from bench.options import Options
from bench.report import Report, Row
from bench.site import BenchSite

PEOPLE, COPIED = 100_000, 50_000
SIZES = (10_000, 100_000, 1_000_000, 5_000_000)
JOURNAL = """
INSERT INTO queue_queuejournal (event_id, entry, at, person, kind, number)
SELECT %s, 'past:' || number, %s, %s + number, 'join', number FROM generate_series(%s, %s) AS number
"""


def run(options: Options) -> Report:
    site = BenchSite(replace(options, processes=0))
    report = site.report("rebuild")
    try:
        prepare_database()
        queue = _open_queue()
        report.table("per journal entry copied to PostgreSQL", {"": _copy(queue)})
        people, rows, written = options.people or PEOPLE, dict[str, Row](), COPIED
        for size in (*(size for size in SIZES if COPIED < size < people), people):
            _write_journal(queue, range(written + 1, size + 1))
            rows[f"{size:,} people"], written = _rebuild(queue, size), size
        report.table("rebuild of a lost line", rows)
    finally:
        site.stop()
    return report


def _open_queue() -> Any:
    from tests.making import make_event
    from ticketing.core import clock
    from waiting_queue import services
    from waiting_queue.models import SaleQueue

    now = clock.now()
    knobs = {"capacity": 10**7, "opens_at": now + timedelta(hours=1)}
    queue = SaleQueue.objects.create(event=make_event(now), **knobs)
    services.move_queue(event_id=queue.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    return services.move_queue(event_id=queue.pk, to=SaleQueue.State.PAUSED, by=None, now=now)


def _copy(queue: Any) -> Row:
    """Real joins, and the copy of their journal by the worker."""
    from ticketing.core import clock
    from waiting_queue import services, store

    for part in store.batched(map(str, range(1, COPIED + 1)), 1_000):
        store.run_all([store.join(queue.pk, person, clock.now()) for person in part])
    spent = _spent(lambda: services.drain_journal(event_id=queue.pk, batches=100))
    return {f"{kind}: CPU µs": 1e6 * seconds / COPIED for kind, seconds in spent.items()}


def _write_journal(queue: Any, numbers: range) -> None:
    from django.db import connection

    from ticketing.core import clock

    if numbers:
        with connection.cursor() as cursor:
            first, last = numbers[0], numbers[-1]
            cursor.execute(JOURNAL, [queue.pk, clock.now(), 0, first, last])


def _rebuild(queue: Any, size: int) -> Row:
    from ticketing.core import clock, redis
    from waiting_queue import services

    redis.queue_client().flushall()
    began = time.perf_counter()
    spent = _spent(lambda: services.rebuild_queue(event_id=queue.pk, now=clock.now()))
    return {
        "median ms": 1000 * (time.perf_counter() - began),
        **{f"{kind}: CPU µs a person": 1e6 * value / size for kind, value in spent.items()},
        "most memory so far, MB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024,
    }


def _spent(work: Callable[[], object]) -> dict[str, float]:
    """Processor seconds of this process, which works as the worker does, and of the servers."""
    kinds, before, began = ("PostgreSQL", "Valkey"), cpu_by_kind(), time.process_time()
    work()
    after = cpu_by_kind()
    return {"worker": time.process_time() - began} | {
        kind: after[kind] - before[kind] for kind in kinds
    }

"""The queue in Redis: the cost of a tick, a poll and a join with up to 1,000,000 people waiting."""

import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from datetime import timedelta
from functools import partial
from typing import Any

from bench import queue_http
from bench.database import prepare_database
from bench.options import Options
from bench.report import Report, Row
from bench.site import BenchSite

SIZES = {1: 1_000, 2: 50_000, 3: 1_000_000}  # people waiting, by event id
BATCH, TURNS, MANY = 100, 20, 50
OPEN_EVENTS, ABSENT, LOBBY, MEASURED = 100, 500_000, 50_000, 50_000
SLOWER_THAN = 1_000  # microseconds; Redis logs every slower call


def run(options: Options) -> Report:
    site = BenchSite(replace(options, processes=1))
    report = site.report("queue")
    try:
        prepare_database()
        _report_memory(report)
        _report_costs(report)
        _report_many_events(report)
        _report_everybody_absent(report)
        _report_draw(report)
        queue_http.measure_on(site, report, options.rounds)
    finally:
        site.stop()
    return report


# -- ticks, polls and joins -----------------------------------------------------------------------


def _report_costs(report: Report) -> None:
    """Measure in turns, so that a slow moment of the machine affects all sizes."""
    from tests.waiting_queue.line import Line
    from waiting_queue import store

    lines = {event: _line_of(Line(event), size) for event, size in SIZES.items()}
    took: dict[str, dict[int, list[float]]] = {
        name: {event: [] for event in SIZES} for name in ("tick", "poll", "join")
    }
    for turn in range(TURNS):
        for event, line in lines.items():
            line.wait(1)
            took["tick"][event].append(_cpu_ms(line.tick))
            last = SIZES[event] + BATCH * TURNS
            polls = [store.poll(event, str(last - one), line.now) for one in range(MANY)]
            joins = [store.join(event, f"9{turn:05}{one:03}", line.now) for one in range(MANY)]
            took["poll"][event].append(_cpu_ms(partial(store.run_each, polls)) / MANY)
            took["join"][event].append(_cpu_ms(partial(store.run_each, joins)) / MANY)
    report.table(
        f"CPU of Redis by people waiting; a tick calls {BATCH}",
        {name: _cost_row(by_event) for name, by_event in took.items()},
    )


def _line_of(line: Any, size: int, rate: int = BATCH) -> Any:
    """A queue with this many people waiting, written to Redis directly."""
    from waiting_queue import store

    line.begin(rate=rate, cap=10**6, capacity=10**7, claim_ms=10**9, absence_ms=10**9)
    people: dict[str, float] = {str(number): number for number in range(1, size + 1 + rate * TURNS)}
    seen: dict[str, float] = dict.fromkeys(people, store.ms(line.now))
    store.restore(line.event_id, {"line": people, "seen": seen}, {}, len(people))
    line.tick()
    return line


def _cost_row(by_event: dict[int, list[float]]) -> Row:
    medians = {event: statistics.median(times) for event, times in by_event.items()}
    row: Row = {f"{SIZES[event]:,}: CPU ms": round(ms, 4) for event, ms in medians.items()}
    return row | {"last : first": medians[max(medians)] / medians[min(medians)]}


def _report_many_events(report: Report) -> None:
    """One tick of many events in a pipeline, compared with one script after the other."""
    from tests.waiting_queue.line import Line
    from waiting_queue import store

    lines = [_line_of(Line(1_000 + number), 1_000, rate=1) for number in range(OPEN_EVENTS)]

    def ticks() -> list[Any]:
        return [store.tick(line.event_id, line.rules, line.wait(1).now) for line in lines]

    together = statistics.median(_ms(lambda: store.run_each(ticks())) for _ in range(7))
    singly = statistics.median(_ms(lambda: [*map(store.run, ticks())]) for _ in range(7))
    report.table(
        f"tick of {OPEN_EVENTS} events",
        {
            "at once": {"median ms": together, "with : without": together / singly},
            "one by one": {"median ms": singly},
        },
    )
    for line in lines:
        store.erase(line.event_id)


# -- memory ---------------------------------------------------------------------------------------


def _report_memory(report: Report) -> None:
    """Memory of real joins, including the set of each person's queues; without the journal."""
    from tests.waiting_queue.line import Line
    from ticketing.core import redis
    from waiting_queue import keys, store

    client, line = redis.queue_client(), Line(50).begin(state="paused", capacity=10**7)
    _join_many(line, range(1))
    before = settled_memory(client)
    _join_many(line, range(1_000_000, 1_000_000 + MEASURED))
    client.delete(keys.key(50, "journal"))
    each = (settled_memory(client) - before) / MEASURED
    report.table("memory of Redis", {"per person waiting": {"bytes": round(each)}})
    store.erase(50)


def _join_many(line: Any, people: range) -> None:
    from waiting_queue import store

    for part in store.batched(map(str, people), 1_000):
        store.run_all([store.join(50, person, line.now) for person in part])
        store.add_memberships(50, part, line.now)


def settled_memory(client: Any) -> int:
    """Used memory, once Redis has freed deleted keys in the background."""
    while client.info("memory")["lazyfree_pending_objects"]:
        time.sleep(0.05)
    return client.info("memory")["used_memory"]


# -- everybody absent, and the draw ---------------------------------------------------------------


def _report_everybody_absent(report: Report) -> None:
    from tests.waiting_queue.line import Line
    from waiting_queue import store

    line = Line(60).begin(state="paused", capacity=10**7)
    people: dict[str, float] = {str(number): number for number in range(1, ABSENT + 1)}
    away: dict[str, float] = dict.fromkeys(people, store.ms(line.now - timedelta(days=1)))
    store.restore(60, {"line": people, "seen": away}, {}, ABSENT)
    with _slowest_call() as slowest:
        ticked, works = [line.tick()], []
        while ticked[-1].more:
            works.append(_cpu_ms(lambda: ticked.append(line.tick())))
    report.table(
        f"{ABSENT:,} gone away at once",
        {
            "bounded calls": {"count": len(ticked)},
            "work of Redis per call": {"CPU ms": statistics.median(works)},
            "most work in one call": {"CPU ms": max(works)},
            "longest call by the clock": {"last ms": slowest()},
        },
    )


def _report_draw(report: Report) -> None:
    from tests.making import make_event
    from ticketing.core import clock
    from waiting_queue import services, store
    from waiting_queue.models import SaleQueue
    from waiting_queue.services import draws

    now = clock.now()
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=now + timedelta(hours=1))
    services.move_queue(event_id=queue.pk, to=SaleQueue.State.LOBBY, by=None, now=now)
    people: dict[str, float] = {str(number): store.ms(now) for number in range(1, LOBBY + 1)}
    store.restore(queue.pk, {"lobby": people, "seen": people}, {}, 0)
    services.move_queue(event_id=queue.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    with _slowest_call() as slowest:
        cpu = redis_cpu_ms()
        took = _ms(lambda: services.draw_lobby(event_id=queue.pk, now=now))
        cpu = (redis_cpu_ms() - cpu) / (LOBBY / draws.BATCH)
    report.table(
        f"draw of {LOBBY:,}",
        {
            "in all": {"median ms": took},
            "work of Redis per call": {"CPU ms": cpu},
            "longest call by the clock": {"last ms": slowest()},
        },
    )


# -- measuring ------------------------------------------------------------------------------------


@contextmanager
def _slowest_call() -> Iterator[Callable[[], float]]:
    """Yields a function for the slowest call in milliseconds, as measured by Redis."""
    from ticketing.core import redis

    client = redis.queue_client()
    client.config_set("slowlog-log-slower-than", SLOWER_THAN)
    client.config_set("slowlog-max-len", 100_000)
    client.slowlog_reset()
    yield lambda: max((e["duration"] for e in client.slowlog_get(100_000)), default=0) / 1000


def redis_cpu_ms() -> float:
    """CPU time of Redis so far; unlike the duration, a busy machine does not change it."""
    from ticketing.core import redis

    used = redis.queue_client().info("cpu")
    return 1000 * (used["used_cpu_user"] + used["used_cpu_sys"])


def _cpu_ms(work: Callable[[], object]) -> float:
    before = redis_cpu_ms()
    work()
    return redis_cpu_ms() - before


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)

"""The queue in Redis: the cost of a tick, a poll and a join with up to 1,000,000 people waiting."""

import os
import statistics
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from functools import partial
from typing import Any

from bench import queue_http
from bench.database import prepare_database
from tests.faults.site import Site

SIZES = {1: 1_000, 2: 50_000, 3: 1_000_000}  # people waiting, by event id
BATCH, TURNS, MANY = 100, 20, 50
OPEN_EVENTS, ABSENT, LOBBY, MEASURED = 100, 500_000, 50_000, 50_000
SLOWER_THAN = 1_000  # microseconds; Redis logs every slower call


def run() -> None:
    site = Site(workers=1, settings="bench.settings")
    try:
        os.environ.update(site.env)
        prepare_database()
        _print_memory()
        _print_costs()
        _print_many_events()
        _print_everybody_absent()
        _print_draw()
        queue_http.measure_on(site)
    finally:
        site.stop()


# -- ticks, polls and joins -----------------------------------------------------------------------


def _print_costs() -> None:
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
    print(
        f"{'waiting':<34}"
        + "".join(f"{size:>12,}" for size in SIZES.values())
        + f"{'last:first':>12}"
    )
    for name, by_event in took.items():
        _print_cost(f"{name}, CPU ms" + (f" ({BATCH} called)" if name == "tick" else ""), by_event)


def _line_of(line: Any, size: int, rate: int = BATCH) -> Any:
    """A queue with this many people waiting, written to Redis directly."""
    from waiting_queue import store

    line.begin(rate=rate, cap=10**6, capacity=10**7, claim_ms=10**9, absence_ms=10**9)
    people = {str(number): number for number in range(1, size + 1 + rate * TURNS)}
    seen = dict.fromkeys(people, store.ms(line.now))
    store.restore(line.event_id, {"line": people, "seen": seen}, {}, len(people))
    line.tick()
    return line


def _print_cost(name: str, by_event: dict[int, list[float]]) -> None:
    medians = [statistics.median(times) for times in by_event.values()]
    cells = "".join(f"{median:>12.3f}" for median in medians)
    print(f"{name:<34}{cells}{medians[-1] / medians[0]:>12.2f}")


def _print_many_events() -> None:
    """One tick of many events in a pipeline, compared with one script after the other."""
    from tests.waiting_queue.line import Line
    from waiting_queue import store

    lines = [_line_of(Line(1_000 + number), 1_000, rate=1) for number in range(OPEN_EVENTS)]

    def ticks() -> list[Any]:
        return [store.tick(line.event_id, line.rules, line.wait(1).now) for line in lines]

    together = statistics.median(_ms(lambda: store.run_each(ticks())) for _ in range(7))
    singly = statistics.median(_ms(lambda: [*map(store.run, ticks())]) for _ in range(7))
    print(f"\n{f'tick of {OPEN_EVENTS} events at once, ms':<34}{together:>12.2f}")
    print(f"{'the same one by one, ms':<34}{singly:>12.2f}{together / singly:>12.2f} of it")
    for line in lines:
        store.erase(line.event_id)


# -- memory ---------------------------------------------------------------------------------------


def _print_memory() -> None:
    """Memory of real joins, including the set of each person's queues; without the journal."""
    from tests.waiting_queue.line import Line
    from ticketing.core import redis
    from waiting_queue import keys, store

    client, line = redis.queue_client(), Line(50).begin(state="paused", capacity=10**7)
    _join_many(line, range(1))
    before = _settled_memory(client)
    _join_many(line, range(1_000_000, 1_000_000 + MEASURED))
    client.delete(keys.key(50, "journal"))
    each = (_settled_memory(client) - before) / MEASURED
    print(f"{'bytes of Redis per person waiting':<34}{each:>12.0f}\n")
    store.erase(50)


def _join_many(line: Any, people: range) -> None:
    from waiting_queue import store

    for part in store.batched(map(str, people), 1_000):
        store.run_all([store.join(50, person, line.now) for person in part])
        store.add_memberships(50, part, line.now)


def _settled_memory(client: Any) -> int:
    """Used memory, once Redis has freed deleted keys in the background."""
    while client.info("memory")["lazyfree_pending_objects"]:
        time.sleep(0.05)
    return client.info("memory")["used_memory"]


# -- everybody absent, and the draw ---------------------------------------------------------------


def _print_everybody_absent() -> None:
    from tests.waiting_queue.line import Line
    from waiting_queue import store

    line = Line(60).begin(state="paused", capacity=10**7)
    people = {str(number): number for number in range(1, ABSENT + 1)}
    away = dict.fromkeys(people, store.ms(line.now - timedelta(days=1)))
    store.restore(60, {"line": people, "seen": away}, {}, ABSENT)
    with _slowest_call() as slowest:
        ticked, works = [line.tick()], []
        while ticked[-1].more:
            works.append(_cpu_ms(lambda: ticked.append(line.tick())))
    print(f"\n{f'{ABSENT:,} gone away at once':<34}{len(ticked):>12,} bounded calls")
    print(f"{'work of Redis per call, ms of CPU':<34}{statistics.median(works):>12.1f}")
    print(f"{'most work in one call, ms of CPU':<34}{max(works):>12.1f}")
    print(f"{'longest call by the clock':<34}{slowest():>12.1f} ms")


def _print_draw() -> None:
    from tests.making import make_event
    from ticketing.core import clock
    from waiting_queue import services, store
    from waiting_queue.models import SaleQueue
    from waiting_queue.services import draws

    now = clock.now()
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=now + timedelta(hours=1))
    services.move_queue(event_id=queue.pk, to=SaleQueue.State.LOBBY, by=None, now=now)
    people = {str(number): store.ms(now) for number in range(1, LOBBY + 1)}
    store.restore(queue.pk, {"lobby": people, "seen": people}, {}, 0)
    services.move_queue(event_id=queue.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    with _slowest_call() as slowest:
        cpu = _redis_cpu_ms()
        took = _ms(lambda: services.draw_lobby(event_id=queue.pk, now=now))
        cpu = (_redis_cpu_ms() - cpu) / (LOBBY / draws.BATCH)
    print(f"\n{f'draw of {LOBBY:,}':<34}{took / 1000:>12.2f} s")
    print(f"{'work of Redis per call, ms of CPU':<34}{cpu:>12.1f}")
    print(f"{'longest call by the clock':<34}{slowest():>12.1f} ms")


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


def _redis_cpu_ms() -> float:
    """CPU time of Redis so far; unlike the duration, a busy machine does not change it."""
    from ticketing.core import redis

    used = redis.queue_client().info("cpu")
    return 1000 * (used["used_cpu_user"] + used["used_cpu_sys"])


def _cpu_ms(work: Callable[[], object]) -> float:
    before = _redis_cpu_ms()
    work()
    return _redis_cpu_ms() - before


def _ms(work: Callable[[], object]) -> float:
    began = time.perf_counter()
    work()
    return 1000 * (time.perf_counter() - began)

"""Polls and joins over HTTP, compared with a raw ASGI path that makes one Redis call."""

import statistics
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace

from bench.load import Load, LoadTimings, measure
from bench.people import make_fans
from bench.report import Report, Row
from bench.site import BenchSite

HELLO, FLOOR = "raw ASGI, hello", "raw ASGI, one EVALSHA"
NEWCOMERS = 3_000  # per round


@dataclass(frozen=True)
class InLine:
    """A person waiting in an open queue, and what their browser sends."""

    event_id: int
    person: str
    token: str
    session: str


def measure_on(site: BenchSite, report: Report, rounds: int) -> None:
    fan = _fan_in_line()
    site.start_web("-m", "bench.server")
    with every_second(tick):
        _report(report, site, fan, rounds)


def tick() -> None:
    from ticketing.core import clock
    from waiting_queue import services

    services.tick_open_queues(now=clock.now())


@contextmanager
def every_second(work: Callable[[], None]) -> Iterator[None]:
    """Call `work` every second in a thread, as the scheduler does."""
    stop = threading.Event()

    def repeat() -> None:
        due = time.monotonic()
        while not stop.wait(max(due - time.monotonic(), 0)):
            work()
            due += 1

    thread = threading.Thread(target=repeat)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def _fan_in_line() -> InLine:
    from tests.making import make_event
    from ticketing.core import clock
    from waiting_queue import services
    from waiting_queue.models import SaleQueue

    now, (fan,) = clock.now(), make_fans(1, "")
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    for state in (SaleQueue.State.OPEN, SaleQueue.State.PAUSED):
        services.move_queue(event_id=queue.pk, to=state, by=None, now=now)
    person = str(fan.id)
    standing = services.join(event_id=queue.pk, person=person, now=now)
    token = services.token_of(queue.pk, person, standing)
    return InLine(queue.pk, person, token, fan.headers["Cookie"])


def _report(report: Report, site: BenchSite, fan: InLine, rounds: int) -> None:
    """Measure in turns, so that a slow moment of the machine affects all of them."""
    queue = f"{site.url}/api/v1/events/{fan.event_id}/queue/"
    own = {"Origin": site.url, "Content-Length": "0"}
    in_line = own | {"Cookie": fan.session}
    loads = {
        HELLO: Load(f"{site.url}/bench/hello", {}),
        FLOOR: Load(f"{site.url}/bench/raw/{fan.event_id}/{fan.person}", {}),
        "standing poll, queue token": Load(queue, {"Authorization": f"Bearer {fan.token}"}),
        "join of one who is in line, session": Load(queue, in_line, method="POST"),
    }
    joins = "first join, session"
    loads[joins] = Load(queue, own, method="POST")
    measured = []
    for _ in range(rounds):
        # People who are in no queue yet.
        newcomers = [new.headers["Cookie"] for new in make_fans(NEWCOMERS, site.url)]
        loads[joins] = replace(loads[joins], cookies=newcomers)
        measured.append({name: measure(load) for name, load in loads.items()})
    floor = _speed([turn[FLOOR] for turn in measured])
    rows: dict[str, Row] = {}
    for name in loads:
        turns = [turn[name] for turn in measured]
        rows[name] = {
            "requests/s": _speed(turns),
            "of floor": _speed(turns) / floor,
            "p99 ms": statistics.median(turn.p99_ms for turn in turns),
            "load generator CPU": statistics.median(turn.client_cpu_ms for turn in turns),
            "status": " ".join(sorted({status for turn in turns for status in turn.statuses})),
        }
    report.table(f"over HTTP, {loads[HELLO].connections} connections", rows)


def _speed(turns: list[LoadTimings]) -> float:
    return statistics.median(turn.per_second for turn in turns)

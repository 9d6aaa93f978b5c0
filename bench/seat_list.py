"""The seat list of 20,000 seats: its size, the cost of building it, and requests per second."""

import gzip
import os
import statistics
import time
from collections.abc import Callable

from bench.database import prepare_database
from bench.load import Load, LoadTimings, measure
from tests.faults.site import Site

ROWS, SEATS_PER_ROW = 200, 100
WORKERS, ROUNDS = 2, 3


def run() -> None:
    site = Site(workers=WORKERS, settings="bench.settings")
    try:
        os.environ.update(site.env)
        event_id = _prepare()
        _print_size_and_cost(event_id)
        site.start_web()
        _print_speed(site, f"/api/v1/events/{event_id}/seats/")
    finally:
        site.stop()


def _prepare() -> int:
    """An arena with every seat in a random state."""
    prepare_database()
    from django.core.management import call_command
    from django.db import connection

    from tests.making import make_event, make_plan
    from ticketing.core import clock
    from ticketing.events.models import Seat

    call_command("collectstatic", interactive=False, verbosity=0)
    event = make_event(clock.now(), plan=make_plan(rows=ROWS, seats_per_row=SEATS_PER_ROW))
    with connection.cursor() as cursor:
        cursor.execute(
            f"UPDATE {Seat._meta.db_table} SET state ="
            " (ARRAY['available', 'held', 'sold', 'blocked'])[1 + floor(random() * 4)::int]"
        )
    return event.pk


def _print_size_and_cost(event_id: int) -> None:
    from ticketing.events.seat_list.cached import compressed_body

    body = compressed_body(event_id)
    build = _median_ms(lambda: compressed_body(event_id))
    print(f"{'seats, every state at random':<34}{ROWS * SEATS_PER_ROW:>12,}")
    print(f"{'bytes, plain':<34}{len(gzip.decompress(body)):>12,}")
    print(f"{'bytes, compressed':<34}{len(body):>12,}")
    print(f"{'build from PostgreSQL, ms':<34}{build:>12.1f}\n")


def _median_ms(work: Callable[[], object], times: int = 7) -> float:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took)


def _print_speed(site: Site, path: str) -> None:
    """Measure in turns, so that a slow moment of the machine affects all of them."""
    packed = {"Accept-Encoding": "gzip"}
    tag = site.get(path, headers=packed).headers["etag"]
    loads = {
        "a view that does nothing": Load(f"{site.url}/bench/nothing/", {}),
        "200, kept and compressed": Load(f"{site.url}{path}", packed),
        "304, nothing changed": Load(f"{site.url}{path}", packed | {"If-None-Match": tag}),
    }
    rounds = [{name: measure(load) for name, load in loads.items()} for _ in range(ROUNDS)]
    floor = _median([turn["a view that does nothing"] for turn in rounds])
    print(f"{WORKERS} server processes, {loads['304, nothing changed'].connections} connections")
    print(f"{'':<34}{'requests/s':>12}{'of floor':>10}{'p50 ms':>9}{'p99 ms':>9}  statuses")
    for name in loads:
        _print_row(name, [turn[name] for turn in rounds], floor)


def _print_row(name: str, turns: list[LoadTimings], floor: float) -> None:
    speed = _median(turns)
    p50, p99 = (statistics.median(getattr(t, f) for t in turns) for f in ("median_ms", "p99_ms"))
    statuses = " ".join(sorted({status for turn in turns for status in turn.statuses}))
    print(f"{name:<34}{speed:>12,.0f}{speed / floor:>10.2f}{p50:>9.1f}{p99:>9.1f}  {statuses}")


def _median(turns: list[LoadTimings]) -> float:
    return statistics.median(turn.per_second for turn in turns)

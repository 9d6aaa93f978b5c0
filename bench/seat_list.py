"""The seat list of 20,000 seats: its size, the cost of building it, and requests per second."""

import gzip
import statistics
import time
from collections.abc import Callable

from bench.database import prepare_database
from bench.load import Load, LoadTimings, measure
from bench.options import Options
from bench.report import Report, Row
from bench.site import BenchSite

ROWS, SEATS_PER_ROW = 200, 100
NOTHING = "a view that does nothing"


def run(options: Options) -> Report:
    site = BenchSite(options)
    report = site.report("seat_list")
    try:
        event_id = _prepare()
        _report_size_and_cost(report, event_id)
        site.start_web()
        _report_speed(report, site, f"/api/v1/events/{event_id}/seats/", options.rounds)
    finally:
        site.stop()
    return report


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


def _report_size_and_cost(report: Report, event_id: int) -> None:
    from ticketing.events.seat_list.cached import compressed_body

    body = compressed_body(event_id)
    build = _median_ms(lambda: compressed_body(event_id))
    report.table(
        f"{ROWS * SEATS_PER_ROW:,} seats, every state at random",
        {
            "plain": {"bytes": len(gzip.decompress(body))},
            "compressed": {"bytes": len(body)},
            "build from PostgreSQL": {"median ms": build},
        },
    )


def _median_ms(work: Callable[[], object], times: int = 7) -> float:
    took = []
    for _ in range(times):
        began = time.perf_counter()
        work()
        took.append(1000 * (time.perf_counter() - began))
    return statistics.median(took)


def _report_speed(report: Report, site: BenchSite, path: str, rounds: int) -> None:
    """Measure in turns, so that a slow moment of the machine affects all of them."""
    packed = {"Accept-Encoding": "gzip"}
    tag = site.get(path, headers=packed).headers["etag"]
    loads = {
        NOTHING: Load(f"{site.url}/bench/nothing/", {}),
        "200, kept and compressed": Load(f"{site.url}{path}", packed),
        "304, nothing changed": Load(f"{site.url}{path}", packed | {"If-None-Match": tag}),
    }
    turns = [{name: measure(load) for name, load in loads.items()} for _ in range(rounds)]
    floor = _median([turn[NOTHING] for turn in turns], "per_second")
    rows = {name: _row([turn[name] for turn in turns], floor) for name in loads}
    report.table(f"{loads[NOTHING].connections} connections", rows)


def _row(turns: list[LoadTimings], floor: float) -> Row:
    return {
        "requests/s": _median(turns, "per_second"),
        "of floor": _median(turns, "per_second") / floor,
        "p50 ms": _median(turns, "median_ms"),
        "p99 ms": _median(turns, "p99_ms"),
        "status": " ".join(sorted({status for turn in turns for status in turn.statuses})),
    }


def _median(turns: list[LoadTimings], figure: str) -> float:
    return statistics.median(getattr(turn, figure) for turn in turns)

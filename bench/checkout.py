"""Many buyers pay at once at a gateway of a given latency, while pages are asked for.

Everybody holds a seat already. The gateway is a stub outside of the site (`bench.portone`).
"""

import threading
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import Any

import psycopg

from bench import machine
from bench.buyers import Bought, Crowd, buy
from bench.load import Load, LoadTimings, RunningLoad
from bench.load import measure as run_load
from bench.options import Options
from bench.people import Fan, make_event_on_sale, make_fans
from bench.report import Report, Row
from bench.whole_site import WholeSite

BUYERS, LATENCIES = 120, (0.0, 1.5)
PROBES_PER_SECOND = 10
STEPS = {
    "api": ["pay", "confirm", "settled"],
    "pages": ["pay_on_page", "confirm_on_page", "settled"],
}
IN_USE = (
    "SELECT count(*) FILTER (WHERE state <> 'idle'), count(*) FROM pg_stat_activity"
    " WHERE backend_type = 'client backend' AND pid <> pg_backend_pid()"
)


@dataclass
class MostSeen:
    """The highest values while the buyers paid."""

    threads: int = 0
    busy: int = 0
    connections: int = 0


@dataclass(frozen=True)
class Rush:
    """Everybody paid at once: what was bought, seen and spent."""

    paid: Bought
    pages: dict[str, LoadTimings]
    most: MostSeen
    spent: Counter[str]


def measure(site: WholeSite, options: Options, report: Report) -> None:
    latencies = LATENCIES if options.latency is None else (options.latency,)
    for latency in latencies:
        _measure_at(latency, site, options, report)
    site.set_gateway(latency=0, failures=0)


def _measure_at(latency: float, site: WholeSite, options: Options, report: Report) -> None:
    fans = make_fans(options.people or BUYERS, site.url)
    event, seats = make_event_on_sale(len(fans))
    held = buy(Crowd(site.url, event, ["hold"], [fan.headers for fan in fans], seats))
    assert held.finished == len(fans), held.outcomes
    probes = _probes(site, event, fans[0], 3 * options.seconds)
    site.set_gateway(latency=latency, failures=options.failures)
    for load in probes.values():
        run_load(replace(load, rate=0, connections=16, seconds=options.seconds))
    without = {name: RunningLoad(load) for name, load in probes.items()}
    quiet = {name: probe.result() for name, probe in without.items()}
    steps, headers = STEPS[options.through], [fan.headers for fan in fans]
    crowd = Crowd(site.url, event, steps, headers, seats, known=held.known)
    busy = _pay(site, crowd, probes)
    failing = f", {options.failures:.0%} of calls fail" if options.failures else ""
    title = f"{len(fans)} buyers, gateway {latency:g} s{failing}, through {options.through}"
    _report(report, title, busy, site.outside_counts())
    rows = {name: _page_row(quiet[name], busy.pages[name]) for name in probes}
    report.table(f"pages, {title}", rows)


def _pay(site: WholeSite, crowd: Crowd, probes: dict[str, Load]) -> Rush:
    before = machine.cpu_by_kind()
    with _watched(site) as most:
        running = {name: RunningLoad(replace(load, seconds=3_600)) for name, load in probes.items()}
        paid = buy(crowd)
        pages = {name: probe.result(stop=True) for name, probe in running.items()}
    spent = machine.cpu_by_kind()
    spent.subtract(before)
    return Rush(paid, pages, most, spent)


def _probes(site: WholeSite, event: int, fan: Fan, seconds: float) -> dict[str, Load]:
    """A page that is the same for all, and one that needs a thread and SQL."""
    headers, rate = {"Accept-Encoding": "gzip"}, PROBES_PER_SECOND
    cookie = {"Cookie": fan.headers["Cookie"]}
    options: Any = {"seconds": seconds, "rate": rate}
    return {
        "event page": Load(f"{site.url}/events/{event}/", headers, **options),
        "my orders": Load(f"{site.url}/orders/", headers | cookie, **options),
    }


@contextmanager
def _watched(site: WholeSite) -> Iterator[MostSeen]:
    """Samples threads and connections ten times a second."""
    most, stop = MostSeen(), threading.Event()
    web = machine.processes_by_kind()["web"]

    def watch() -> None:
        with psycopg.connect(site.env["DATABASE_URL"], autocommit=True) as connection:
            while not stop.wait(0.1):
                busy, connections = connection.execute(IN_USE).fetchone() or (0, 0)
                most.busy = max(most.busy, busy)
                most.connections = max(most.connections, connections)
                most.threads = max(most.threads, machine.threads(web))

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        stop.set()
        thread.join()


def _report(report: Report, title: str, busy: Rush, outside: dict[str, Any]) -> None:
    paid, most = busy.paid, busy.most
    begin, confirm, settled = (paid.column(step) for step in paid.step_ms)
    failed = {why: n for why, n in paid.outcomes.items() if why != "finished"}
    report.table(
        title,
        {
            "orders": {
                "orders/s": paid.finished / paid.seconds,
                "finished": paid.finished,
                "retries": paid.retries,
            },
            "pay": begin,
            "confirm": confirm,
            "until settled": settled,
            "web threads, most": {"count": most.threads},
            "database connections in use, most": {"count": most.busy},
            "database connections, most": {"count": most.connections},
            "gateway calls in flight, most": {"count": outside["most_in_flight"]},
        }
        | {f"not finished: {why}": {"count": n} for why, n in failed.items()},
    )
    each = max(paid.finished, 1) / 1000
    rows = {kind: {"CPU ms": busy.spent[kind] / each} for kind in sorted(busy.spent)}
    crowd = {"the crowd itself": {"not ours": paid.cpu_seconds / each}}
    report.table(f"processor time per order, pages included, {title}", rows | crowd)


def _page_row(quiet: LoadTimings, busy: LoadTimings) -> Row:
    return {
        "p95 ms without buyers": quiet.p95_ms,
        "p95 ms with buyers": busy.p95_ms,
        "with : without": busy.p95_ms / quiet.p95_ms,
        "answers": busy.answers,
    }

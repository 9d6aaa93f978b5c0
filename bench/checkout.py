"""Many buyers pay at a gateway of a given latency, while pages are asked for.

First they come at a pace at which the site can sell, and stay in the gateway's window until all of
them are paying; then as many more begin at the same moment, which is more than two cores can do.
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
from bench.people import make_event_on_sale, make_fans
from bench.report import Report, Row
from bench.whole_site import WholeSite

BUYERS, LATENCIES = 120, (0.0, 1.5)
EVENT_PAGES_PER_SECOND, ORDER_PAGES_PER_SECOND, CONNECTIONS = 40, 5, 4
STEPS = {
    "api": ["pay", "window", "confirm", "settled"],
    "pages": ["pay_on_page", "window", "confirm_on_page", "settled"],
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
    """What was bought, seen and spent while these buyers paid."""

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
    people = options.people or BUYERS
    paced = _who_hold_seats(site, people, options)
    paced = replace(paced, pace=options.pace, window_seconds=people / options.pace)
    at_once = _who_hold_seats(site, people, options)
    probes = _probes(site, paced, 3 * options.seconds)
    for load in probes.values():
        run_load(replace(load, rate=0, connections=16, seconds=options.seconds))
    without = {name: RunningLoad(load) for name, load in probes.items()}
    quiet = {name: probe.result() for name, probe in without.items()}
    failing = f", {options.failures:.0%} of calls fail" if options.failures else ""
    where = f"gateway {latency:g} s{failing}, through {options.through}"
    for how, crowd in {f"{options.pace:g} a second": paced, "all at once": at_once}.items():
        site.set_gateway(latency=latency, failures=options.failures)
        busy = _pay(site, crowd, probes)
        title = f"{people} buyers, {how}, {where}"
        _report(report, title, busy, site.outside_counts())
        rows = {name: _page_row(quiet[name], busy.pages[name]) for name in probes}
        report.table(f"pages, {title}", rows)


def _who_hold_seats(site: WholeSite, people: int, options: Options) -> Crowd:
    fans = make_fans(people, site.url)
    event, seats = make_event_on_sale(people)
    crowd = Crowd(site.url, event, ["hold"], [fan.headers for fan in fans], seats)
    held = buy(crowd)
    assert held.finished == people, held.outcomes
    return replace(crowd, steps=STEPS[options.through], known=held.known)


def _pay(site: WholeSite, crowd: Crowd, probes: dict[str, Load]) -> Rush:
    before = machine.cpu_by_kind()
    with _watched(site) as most:
        running = {name: RunningLoad(replace(load, seconds=3_600)) for name, load in probes.items()}
        paid = buy(crowd)
        pages = {name: probe.result(stop=True) for name, probe in running.items()}
    spent = machine.cpu_by_kind()
    spent.subtract(before)
    return Rush(paid, pages, most, spent)


def _probes(site: WholeSite, crowd: Crowd, seconds: float) -> dict[str, Load]:
    """A page that is the same for all, and one that needs a thread and SQL."""
    headers, cookie = {"Accept-Encoding": "gzip"}, {"Cookie": crowd.headers[0]["Cookie"]}
    event_page = Load(
        f"{site.url}/events/{crowd.event}/",
        headers,
        seconds=seconds,
        rate=EVENT_PAGES_PER_SECOND,
        connections=CONNECTIONS,
    )
    orders = replace(event_page, url=f"{site.url}/orders/", headers=headers | cookie)
    return {"event page": event_page, "my orders": replace(orders, rate=ORDER_PAGES_PER_SECOND)}


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
    begin, _, confirm, settled = (paid.column(step) for step in paid.step_ms)
    failed = {why: n for why, n in paid.outcomes.items() if why != "finished"}
    figures: dict[str, Row] = {
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
    figures |= {f"not finished: {why}": {"count": n} for why, n in failed.items()}
    report.table(title, figures)
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

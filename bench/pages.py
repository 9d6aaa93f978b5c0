"""Pages beside `/healthz` and a bare Django view, in turns on the same server.

Anonymous and logged in: home, event, waiting page before joining, seat page; logged in only:
basket, checkout, orders and tickets. Processor time is that of the web processes.
"""

import statistics
from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import partial

import httpx

from bench import machine
from bench.buyers import Crowd, buy
from bench.load import Load, LoadTimings
from bench.load import measure as run_load
from bench.options import Options
from bench.people import Fan, make_event_on_sale, make_fans
from bench.report import Report, Row
from bench.statements import sent
from bench.whole_site import WholeSite
from tests.faults.site import until

# Twice the page threads: more would only measure how the site refuses (`OVERLOAD_PAGES`).
CONNECTIONS, COUNTED = 16, 20
WARM_UP_SECONDS = 1.0
HEALTHZ, BARE_VIEW = "/healthz", "a bare Django view"
BROWSER = {"Accept": "text/html", "Accept-Encoding": "gzip", "Accept-Language": "ko"}


@dataclass(frozen=True)
class Turn:
    """One measurement of one page."""

    timings: LoadTimings
    cpu_ms: float


def measure(site: WholeSite, options: Options, report: Report) -> None:
    """In turns, so that a slow moment of the machine affects all of them."""
    loads = dict(_loads(site, options))
    for load in loads.values():
        # A new queue is there after the next tick.
        until(partial(_is_fine, load.url, load.headers), seconds=60)
        run_load(replace(load, seconds=min(WARM_UP_SECONDS, options.seconds)))
    counted = {name: _statements(site, load) for name, load in loads.items()}
    turns: dict[str, list[Turn]] = {name: [] for name in loads}
    for _ in range(options.rounds):
        for name, load in loads.items():
            turns[name].append(_turn(load))
    floor = _median_speed(turns[HEALTHZ])
    bare = _median_speed(turns[BARE_VIEW])
    rows = {name: _row(its, counted[name], floor, bare) for name, its in turns.items()}
    report.table(f"{_connections(options)} connections", rows)


def _connections(options: Options) -> int:
    return min(options.people or CONNECTIONS, CONNECTIONS)


def _is_fine(url: str, headers: dict[str, str]) -> bool:
    return httpx.get(url, headers=headers, timeout=20).status_code == 200


def _loads(site: WholeSite, options: Options) -> Iterator[tuple[str, Load]]:
    visitor, buyer = make_fans(2, site.url)
    queued, _ = make_event_on_sale(2_000, knobs={"max_inside": 1_000})
    bought, order, held = _buy_and_hold(site, buyer)
    base = Load(site.url, BROWSER, _connections(options), options.seconds)
    public = {
        "home": "/",
        "event": f"/events/{queued}/",
        "waiting page": f"/events/{queued}/queue/",
        "seat page": f"/events/{queued}/seats/",
    }
    personal = {
        "basket": f"/events/{bought}/basket/",
        "checkout": f"/orders/{held}/pay/",
        "order": f"/orders/{order}/",
        "my orders": "/orders/",
        "my tickets": "/tickets/",
        "tickets of an order": f"/tickets/orders/{order}/",
    }
    yield HEALTHZ, replace(base, url=f"{site.url}/healthz")
    yield BARE_VIEW, replace(base, url=f"{site.url}/bench/nothing/")
    for name, path in public.items():
        yield f"{name}, anonymous", replace(base, url=f"{site.url}{path}")
    for fan, pages in ((visitor, public), (buyer, personal)):
        cookie = {"Cookie": fan.headers["Cookie"]}
        for name, path in pages.items():
            yield (
                f"{name}, logged in",
                replace(base, url=f"{site.url}{path}", headers=BROWSER | cookie),
            )


def _buy_and_hold(site: WholeSite, buyer: Fan) -> tuple[int, str, str]:
    """One order and one more hold of this person; the event and the codes of both."""
    event, seats = make_event_on_sale(200)
    steps = ["hold", "pay", "confirm", "settled"]
    order = Crowd(site.url, event, steps, [buyer.headers], seats[:1])
    bought = buy(order)
    held = buy(replace(order, steps=["hold"], seats=seats[1:2]))
    assert bought.finished == held.finished == 1, (bought.outcomes, held.outcomes)
    return event, bought.known[0]["code"], held.known[0]["code"]


def _statements(site: WholeSite, load: Load) -> float:
    """Per request, one after the other, while nothing else asks the database.

    The median of three counts: a page that was asked for before may still be rendered anew.
    """
    with machine.background_paused():
        return statistics.median(_count_statements(site, load) for _ in range(3))


def _count_statements(site: WholeSite, load: Load) -> float:
    site.statements.reset()
    found = run_load(replace(load, connections=1, count=COUNTED))
    assert found.statuses == {"200": COUNTED}, (load.url, found.statuses)
    return sum(sent(site.statements.calls()).values()) / COUNTED


def _turn(load: Load) -> Turn:
    before = machine.cpu_by_kind()["web"]
    timings = run_load(load)
    spent = machine.cpu_by_kind()["web"] - before
    return Turn(timings, 1000 * spent / max(timings.requests, 1))


def _row(turns: list[Turn], statements: float, floor: float, bare: float) -> Row:
    speed = _median_speed(turns)
    statuses = sorted({status for turn in turns for status in turn.timings.statuses})
    return {
        "requests/s": speed,
        "of healthz": round(speed / floor, 4),
        "of bare view": round(speed / bare, 3),
        "CPU ms": statistics.median(turn.cpu_ms for turn in turns),
        "statements": statements,
        "bytes": turns[-1].timings.bytes,
        "p95 ms": statistics.median(turn.timings.p95_ms for turn in turns),
        "load generator CPU": statistics.median(turn.timings.client_cpu_ms for turn in turns),
        "status": " ".join(statuses),
    }


def _median_speed(turns: list[Turn]) -> float:
    return statistics.median(turn.timings.per_second for turn in turns)

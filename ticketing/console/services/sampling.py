"""Once a second: every running sale in numbers, at a cost that no line's length changes."""

import logging
from datetime import datetime
from typing import Any

from redis.exceptions import RedisError

from payments.selectors import breaker_state
from ticketing.console import selectors, store
from ticketing.console.figures import COUNTED, per_second, row
from ticketing.console.models import Autopilot, Sample
from ticketing.console.store import Figures
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

log = logging.getLogger(__name__)
# Seats and money are counted this often; the samples in between repeat it.
COUNT_SECONDS = 5
# Rates are told over the last few samples: one second alone jumps about.
LOOK_BACK = 5
# Slower than this is standing still: nothing honest can be said about the end.
SLOWEST = 0.01
PEOPLE = (
    *("lobby", "waiting", "ready", "inside", "cap", "joined", "admitted", "completed"),
    *("left", "expired", "blocked", "last_number", "backlog"),
)


UNKNOWN: dict[str, Any] = {
    "breaker": "",
    "redis_ms": None,
    "database_ms": None,
    "page_ms": None,
    "processes": [],
}


def sample_sales(*, now: datetime) -> dict[int, Figures]:
    """Keep and tell a sample of each running sale; a second that is known already is not told."""
    running = selectors.running_queues()
    if not running:
        return {}
    try:
        return _sample(running, now)
    except RedisError as outage:
        log.warning("no sample of this second: %s", outage)
        return {}


def _sample(running: list[SaleQueue], now: datetime) -> dict[int, Figures]:
    before = store.latest([queue.pk for queue in running], LOOK_BACK)
    counts, site = _counts(before, now), site_figures(now=now)
    seen = queues.overviews(running, now=now)
    taken = {
        queue.pk: _figures(queue, seen[queue.pk], before[queue.pk], now) | counts[queue.pk] | site
        for queue in running
    }
    kept = {event_id: taken[event_id] for event_id in store.keep(taken)}
    _keep_thinned(kept, before)
    store.tell(kept)
    return kept


def figures_now(queue: SaleQueue, *, now: datetime) -> Figures:
    """A sale as it is at this moment, for whoever opens a page; keeps and tells nothing."""
    seen = queues.overview(queue, now=now)
    counts = selectors.counts_of([queue.pk], now)[queue.pk]
    try:
        before, site = store.latest([queue.pk], LOOK_BACK)[queue.pk], site_figures(now=now)
    except RedisError as outage:
        log.warning("Redis says nothing of this sale: %s", outage)
        before, site = (
            [],
            {
                "breaker": "",
                "redis_ms": None,
                "database_ms": None,
                "page_ms": None,
                "processes": [],
            },
        )
    return _figures(queue, seen, before, now) | counts | site | {"counted": int(now.timestamp())}


def _figures(
    queue: SaleQueue, seen: queues.Overview, before: list[Figures], now: datetime
) -> Figures:
    figures: Figures = {name: getattr(seen, name) for name in PEOPLE}
    figures |= {
        "second": int(now.timestamp()),
        "previous": before[0]["second"] if before else None,
        "state": queue.state,
        "asked": queue.admit_per_second,
        "measured": round(seen.rate, 2),
        "tick_age": None if seen.tick_age is None else round(seen.tick_age, 1),
        "known": seen.known,
        "currency": queue.event.currency,
        "pilot": _pilot(queue),
    }
    earlier = before[-1] if before else None
    figures["joins"] = per_second(figures, earlier, "joined")
    figures["admissions"] = per_second(figures, earlier, "admitted")
    return figures | {"empty_in": seconds_until_empty(queue.state, seen.waiting, seen.rate)}


def _pilot(queue: SaleQueue) -> list[Any] | None:
    """What the autopilot last thought; None where it is off."""
    pilot: Autopilot | None = getattr(queue, "autopilot", None)
    return [pilot.why, pilot.a, pilot.b] if pilot and pilot.is_on else None


def seconds_until_empty(state: str, waiting: int, rate: float) -> int | None:
    """At the pace at which people are really called; None where nobody can say."""
    moves = state in (SaleQueue.State.OPEN, SaleQueue.State.DRAINING)
    if not waiting:
        return 0 if moves else None
    return round(waiting / rate) if moves and rate >= SLOWEST else None


def _counts(before: dict[int, list[Figures]], now: datetime) -> dict[int, dict[str, Any]]:
    """What the last sample knows, or the database if that is too old."""
    second = int(now.timestamp())
    known = {pk: samples[0] for pk, samples in before.items() if samples}
    fresh = {
        pk: {name: last[name] for name in (*COUNTED, "counted")}
        for pk, last in known.items()
        if 0 <= second - last["counted"] < COUNT_SECONDS
    }
    due = [pk for pk in before if pk not in fresh]
    counted = selectors.counts_of(due, now) if due else {}
    return fresh | {pk: counts | {"counted": second} for pk, counts in counted.items()}


def site_figures(*, now: datetime) -> dict[str, Any]:
    """What is the same for every sale: the breaker, the servers, the processes."""
    return {
        "breaker": breaker_state().state,
        "redis_ms": store.answer_ms(),
        **selectors.database_times(),
        "page_ms": store.page_ms(now),
        "processes": [
            [process.kind, process.host, process.pid, round(process.age, 1)]
            for process in store.processes(now)
        ],
    }


def _keep_thinned(kept: dict[int, Figures], before: dict[int, list[Figures]]) -> None:
    """The first sample of each ten seconds also goes to the database."""
    rows = []
    for event_id, figures in kept.items():
        slot = figures["second"] // selectors.STEP
        if not before[event_id] or before[event_id][0]["second"] // selectors.STEP != slot:
            second = slot * selectors.STEP
            thinned = [second, *row(figures)[1:]]
            rows.append(Sample(event_id=event_id, second=second, figures=thinned))
    Sample.objects.bulk_create(rows, ignore_conflicts=True)

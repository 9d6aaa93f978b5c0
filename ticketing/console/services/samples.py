"""Samples every running sale once a second, at a cost independent of the queue's length."""

import logging
from dataclasses import asdict
from datetime import datetime
from typing import Any

from redis.exceptions import RedisError

from payments.selectors import breaker_state
from ticketing.console import selectors, store
from ticketing.console.models import Autopilot, Sample, chart_row
from ticketing.console.store import Figures
from waiting_queue import selectors as queues
from waiting_queue.models import SaleQueue

log = logging.getLogger(__name__)
# Seats and money are counted this often; the samples in between repeat them.
COUNT_SECONDS = 5
# A sale without people is sampled this often.
QUIET_SECONDS = 5
PEOPLE = ("lobby", "waiting", "ready", "inside")
# Rates count what happened in so many seconds: a single second varies too much.
RATE_SECONDS = 5
# Below this rate the time until the queue is empty can't be estimated.
MIN_RATE = 0.01
QUEUE_FIGURES = (
    *("lobby", "waiting", "ready", "inside", "cap", "joined", "admitted", "completed"),
    *("left", "expired", "blocked", "last_number", "backlog"),
)
COUNTED_FIGURES = (
    *("seats", "free", "held", "paying", "sold", "held_back"),
    *("money", "failing", "open"),
)
UNKNOWN_SITE: dict[str, Any] = {
    "breaker": "",
    "redis_ms": None,
    "database_ms": None,
    "page_ms": None,
    "processes": [],
}


def sample_sales(*, now: datetime) -> dict[int, Figures]:
    """Store and publish a sample of each running sale, unless this second has one already.

    A sale that nobody is in is sampled every few seconds, unless a console is open.
    """
    running = selectors.running_queues()
    try:
        running = _without_quiet(running, now)
        return _sample(running, now) if running else {}
    except RedisError as error:
        log.warning("no sample taken in this second: %s", error)
        return {}


def _sample(running: list[SaleQueue], now: datetime) -> dict[int, Figures]:
    before = store.latest_samples([queue.pk for queue in running], RATE_SECONDS)
    counts, site = _counts(running, before, now), site_figures(now=now)
    overviews = queues.overviews(running, now=now)
    taken = {
        queue.pk: _queue_figures(queue, overviews[queue.pk], before[queue.pk], now)
        | counts[queue.pk]
        | site
        for queue in running
    }
    stored = {event_id: taken[event_id] for event_id in store.add_samples(taken)}
    _store_thinned(stored, before)
    store.publish_samples(stored)
    return stored


def _without_quiet(running: list[SaleQueue], now: datetime) -> list[SaleQueue]:
    if not running or store.has_console():
        return running
    last = store.latest_samples([queue.pk for queue in running], 1)
    return [
        queue for queue in running if not (last[queue.pk] and _is_quiet(last[queue.pk][0], now))
    ]


def _is_quiet(last: Figures, now: datetime) -> bool:
    """Whether nobody was in this sale a moment ago."""
    age = int(now.timestamp()) - last["second"]
    return 0 <= age < QUIET_SECONDS and not any(last[name] for name in PEOPLE)


def current_figures(queue: SaleQueue, *, now: datetime) -> Figures:
    """The figures of a sale at this moment, for a page; stores and publishes nothing."""
    overview = queues.overview(queue, now=now)
    counts = selectors.sale_counts([queue.pk], now)[queue.pk]
    try:
        before = store.latest_samples([queue.pk], RATE_SECONDS)[queue.pk]
        site = site_figures(now=now)
    except RedisError as error:
        log.warning("no samples of event %s from Redis: %s", queue.pk, error)
        before, site = [], UNKNOWN_SITE
    figures = _queue_figures(queue, overview, before, now)
    return figures | counts | site | {"counted": int(now.timestamp())}


def _queue_figures(
    queue: SaleQueue, overview: queues.Overview, before: list[Figures], now: datetime
) -> Figures:
    autopilot: Autopilot | None = getattr(queue, "autopilot", None)
    is_on = autopilot is not None and autopilot.is_on
    figures: Figures = {name: getattr(overview, name) for name in QUEUE_FIGURES}
    figures |= {
        "second": int(now.timestamp()),
        "previous": before[0]["second"] if before else None,
        "state": queues.sale_status(queue),
        "asked": queue.admit_per_second,
        "tick_age": None if overview.tick_age is None else round(overview.tick_age, 1),
        "known": overview.known,
        "currency": queue.event.currency,
        "lanes": [asdict(lane) for lane in overview.lanes],
        "pilot": [autopilot.why, autopilot.a, autopilot.b] if autopilot and is_on else None,
    }
    figures["joins"] = per_second(figures, before, "joined")
    figures["admissions"] = per_second(figures, before, "admitted")
    rate = min(overview.rate, queue.admit_per_second or overview.rate)
    return figures | {"empty_in": seconds_until_empty(queue.state, overview.waiting, rate)}


def per_second(figures: Figures, before: list[Figures], name: str) -> float:
    """Growth of a counter per second over `RATE_SECONDS`; 0 if it was reset, as after an outage.

    `before` are the earlier samples, newest first.
    """
    if not before:
        return 0.0
    start = figures["second"] - RATE_SECONDS
    earlier = next((sample for sample in before if sample["second"] <= start), before[-1])
    elapsed = figures["second"] - earlier["second"]
    return round(max(figures[name] - earlier[name], 0) / elapsed, 2) if elapsed > 0 else 0.0


def seconds_until_empty(state: str, waiting: int, rate: float) -> int | None:
    """Estimated from a rate; None if the queue does not move."""
    moves = state in (SaleQueue.State.OPEN, SaleQueue.State.DRAINING)
    if not waiting:
        return 0 if moves else None
    return round(waiting / rate) if moves and rate >= MIN_RATE else None


def _counts(
    running: list[SaleQueue], before: dict[int, list[Figures]], now: datetime
) -> dict[int, dict[str, Any]]:
    """Seats and money from the last sample, or counted anew if it is too old or the sale moved."""
    second = int(now.timestamp())
    statuses = {queue.pk: queues.sale_status(queue) for queue in running}
    samples = {pk: kept[0] for pk, kept in before.items() if kept}
    known = {pk: last for pk, last in samples.items() if last["state"] == statuses[pk]}
    fresh = {
        pk: {name: last[name] for name in (*COUNTED_FIGURES, "counted")}
        for pk, last in known.items()
        if 0 <= second - last["counted"] < COUNT_SECONDS
    }
    due = [pk for pk in before if pk not in fresh]
    counted = selectors.sale_counts(due, now) if due else {}
    return fresh | {pk: counts | {"counted": second} for pk, counts in counted.items()}


def site_figures(*, now: datetime) -> dict[str, Any]:
    """What is the same for every sale: circuit breaker, response times, processes."""
    return {
        "breaker": breaker_state().state,
        "redis_ms": store.ping_ms(),
        **selectors.database_times(),
        "page_ms": store.page_ms(now),
        "processes": [
            [process.kind, process.host, process.pid, round(process.age, 1)]
            for process in store.processes(now)
        ],
    }


def _store_thinned(samples: dict[int, Figures], before: dict[int, list[Figures]]) -> None:
    """Write the first sample of each ten seconds to PostgreSQL."""
    rows = []
    for event_id, figures in samples.items():
        slot = figures["second"] // selectors.SAMPLE_SECONDS
        last = before[event_id]
        if not last or last[0]["second"] // selectors.SAMPLE_SECONDS != slot:
            second = slot * selectors.SAMPLE_SECONDS
            thinned = [second, *chart_row(figures)[1:]]
            rows.append(Sample(event_id=event_id, second=second, figures=thinned))
    Sample.objects.bulk_create(rows, ignore_conflicts=True)

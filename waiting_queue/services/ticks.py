"""The tick: every second, each running queue calls the next people in line."""

import logging
from collections.abc import Callable, Sequence
from datetime import datetime
from functools import partial
from typing import Any

from ticketing.core.errors import DomainError
from ticketing.core.logs.context import log_ids
from ticketing.events.services import open_due_sales
from waiting_queue import metrics, store
from waiting_queue.models import SaleQueue
from waiting_queue.selectors.tick_queues import (
    ENDED_SALES,
    due_queues,
    events_being_drawn,
    events_to_archive,
    running_lanes,
    running_queues,
)
from waiting_queue.services.draws import draw_lobby
from waiting_queue.services.journal import archive_queue
from waiting_queue.services.minute_draws import draw_minutes
from waiting_queue.services.queues import move_queue
from waiting_queue.services.rebuilds import rebuild_queue
from waiting_queue.services.rules import rules_of
from waiting_queue.services.stock import places_inside_each
from waiting_queue.services.tick_messages import send_closing_message, send_tick_messages
from waiting_queue.store import TickResult
from waiting_queue.store.scripts import ScriptCall

log = logging.getLogger(__name__)
State = SaleQueue.State
# Rounds of one tick at most, so that one busy event can't keep the others waiting.
MAX_ROUNDS = 10


@metrics.TICK_SECONDS.time()
def tick_open_queues(
    *, now: datetime, maintain: Callable[[int], Any] | None = None
) -> dict[int, TickResult]:
    """Tick every running queue and return the results by event id.

    All queues tick in one round trip. An error in one queue is logged and stops no other. Slow work
    of single queues is handed to `maintain`, and done here only without one.
    """
    maintain = maintain or partial(maintain_queue, now=now)
    open_due_queues(now=now)
    queues = _without_ended_sales(running_queues(), now)
    drawing = events_being_drawn()
    ticked = _tick_in_rounds(queues, drawing, now)
    send_tick_messages(queues, now=now)
    metrics.count_promotions({pk: len(result.called) for pk, result in ticked.items()})
    lost = {event_id for event_id, result in ticked.items() if result.lost}
    by_minute = [queue.pk for queue in queues if queue.minute_secrets]
    undrawn = store.events_with_undrawn_minutes(by_minute)
    for event_id in sorted({*lost, *drawing, *undrawn, *events_to_archive()}):
        maintain(event_id)
    return ticked


def open_due_queues(*, now: datetime) -> None:
    """Open lobbies and queues whose time has come, even if it came long ago."""
    for queue in due_queues(now):
        to = State.OPEN if queue.opens_at <= now else State.LOBBY
        if to == State.OPEN:
            _isolated(queue.pk, partial(open_due_sales, now=now))  # not a second after its line
        _isolated(queue.pk, partial(move_queue, event_id=queue.pk, to=to, by=None, now=now))


def _without_ended_sales(queues: Sequence[SaleQueue], now: datetime) -> list[SaleQueue]:
    """Close the lines of sales that have ended; return the others."""
    close = partial(move_queue, to=State.CLOSED, by=None, why="sale_over", now=now)
    for queue in queues:
        if queue.event.state in ENDED_SALES:
            _isolated(queue.pk, partial(close, event_id=queue.pk))
    return [queue for queue in queues if queue.event.state not in ENDED_SALES]


def _tick_in_rounds(
    queues: Sequence[SaleQueue], drawing: set[int], now: datetime
) -> dict[int, TickResult]:
    """One script moves a bounded number of people; queues with more to do get another round."""
    calls = _tick_calls(queues, drawing, now)
    ticked: dict[int, TickResult] = {}
    for _ in range(MAX_ROUNDS):
        with metrics.LUA_SECONDS.time():
            results = zip(calls, store.run_each(list(calls.values())), strict=True)
        done: dict[int, TickResult] = {}
        for event_id, result in results:
            if isinstance(result, Exception):
                log.error("queue %s: tick failed: %s", event_id, result)
            else:
                done[event_id] = result.after(ticked[event_id]) if event_id in ticked else result
        ticked |= done
        calls = {event_id: calls[event_id] for event_id, result in done.items() if result.more}
        if not calls:
            break
    return ticked


def _tick_calls(
    queues: Sequence[SaleQueue], drawing: set[int], now: datetime
) -> dict[int, ScriptCall[TickResult]]:
    is_behind, lanes, places = store.is_behind(), running_lanes(), places_inside_each(queues)
    calls: dict[int, ScriptCall[TickResult]] = {}
    for queue in queues:
        rules = rules_of(
            queue,
            drawing=queue.pk in drawing,
            lanes=lanes.get(queue.pk, ()),
            places=places[queue.pk],
        )
        calls[queue.pk] = store.tick(queue.pk, rules, now, is_behind=is_behind)
    return calls


def maintain_queue(event_id: int, *, now: datetime) -> None:
    """Do the slow work of one queue: rebuild a lost line, draw, archive a closed queue.

    Safe to run at any time and by several workers: each part looks whether it has to be done.
    """
    queue = SaleQueue.objects.get(pk=event_id)
    if queue.state in SaleQueue.RUNNING and store.epoch_of(event_id) != queue.epoch:
        _isolated(event_id, partial(rebuild_queue, event_id=event_id, now=now))
    _isolated(event_id, partial(draw_lobby, event_id=event_id, now=now))
    if queue.state in SaleQueue.RUNNING and queue.minute_secrets:
        _isolated(event_id, partial(draw_minutes, event_id=event_id, now=now))
    if queue.state == State.CLOSED and queue.epoch:
        _isolated(event_id, partial(_archive, event_id, now))


def _archive(event_id: int, now: datetime) -> None:
    if archive_queue(event_id=event_id, now=now):
        send_closing_message(event_id=event_id, now=now)


def _isolated(event_id: int, work: Callable[[], Any]) -> None:
    """Log an error in one event's work instead of raising it, so that the others go on."""
    with log_ids(event=event_id):
        try:
            work()
        except DomainError as refusal:
            log.warning("queue %s: %s", event_id, refusal)
        except Exception:
            log.exception("queue %s: failed", event_id)

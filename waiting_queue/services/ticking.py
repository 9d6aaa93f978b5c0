"""Every second: what is due happens, and the next in line are called."""

import logging
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from django.db.models import Q

from ticketing.core.errors import DomainError
from ticketing.events.selectors import seats_free
from waiting_queue import metrics, store
from waiting_queue.models import QueueDraw, SaleQueue
from waiting_queue.services.drawing import draw_lobby
from waiting_queue.services.journal import archive_queue, rebuild_queue
from waiting_queue.services.operating import move_queue
from waiting_queue.services.pulsing import send_closing_pulse, send_pulses
from waiting_queue.services.rules import rules_of
from waiting_queue.store import ScriptCall, TickResult

log = logging.getLogger(__name__)
State = SaleQueue.State
# How often a tick goes on within its second: one event can't keep the others waiting.
ROUNDS = 10
RUNNING = (State.LOBBY, State.OPEN, State.PAUSED, State.DRAINING)


def tick_open_queues(*, now: datetime) -> dict[int, TickResult]:
    """One tick of every running queue, all in one round trip; one that fails stops nobody else."""
    with metrics.TICK_SECONDS.time():
        return _tick_all(now)


def _tick_all(now: datetime) -> dict[int, TickResult]:
    move_due_queues(now=now)
    queues = list(SaleQueue.objects.filter(state__in=RUNNING))
    drawing = set(QueueDraw.objects.filter(finished_at=None).values_list("pk", flat=True))
    ticked = _rounds({queue.pk: _tick(queue, queue.pk in drawing, now) for queue in queues})
    send_pulses(queues, now=now)
    for event_id, answer in ticked.items():
        metrics.PROMOTIONS.labels(event_id).inc(len(answer.called))
    _look_after(ticked, drawing, now)
    return ticked


def move_due_queues(*, now: datetime) -> None:
    """Lobbies and queues open at their time; late is better than never, twice changes nothing."""
    due_lobby = Q(state=State.SCHEDULED, lobby_opens_at__lte=now, opens_at__gt=now)
    due_open = Q(state__in=[State.SCHEDULED, State.LOBBY], opens_at__lte=now)
    for queue in SaleQueue.objects.filter(due_lobby | due_open):
        to = State.OPEN if queue.opens_at <= now else State.LOBBY
        _each(queue.pk, partial(move_queue, event_id=queue.pk, to=to, by=None, now=now))


def _tick(queue: SaleQueue, drawing: bool, now: datetime) -> ScriptCall[TickResult]:
    stock = None if queue.stock_factor is None else seats_free(queue.pk)
    return store.tick(queue.pk, rules_of(queue, drawing=drawing, seats_free=stock), now)


def _rounds(ticks: dict[int, ScriptCall[TickResult]]) -> dict[int, TickResult]:
    """A tick moves a bounded number of people; whose has more to do goes on, in the same second."""
    ticked: dict[int, TickResult] = {}
    for _ in range(ROUNDS):
        with metrics.LUA_SECONDS.time():
            answers = zip(ticks, store.run_each(list(ticks.values())), strict=True)
        done = {event_id: answer for event_id, answer in answers if not _failed(event_id, answer)}
        ticked |= {pk: it.after(ticked[pk]) if pk in ticked else it for pk, it in done.items()}
        ticks = {event_id: ticks[event_id] for event_id, answer in done.items() if answer.more}
        if not ticks:
            break
    return ticked


def _look_after(ticked: dict[int, TickResult], drawing: set[int], now: datetime) -> None:
    """What takes longer than a tick: lost lines, draws, and queues that are over."""
    for event_id, answer in ticked.items():
        if answer.lost:
            _each(event_id, partial(_rebuild_if_still_lost, event_id, now))
    for event_id in drawing:
        _each(event_id, partial(draw_lobby, event_id=event_id, now=now))
    over = SaleQueue.objects.filter(state=State.CLOSED).exclude(epoch="")
    for event_id in over.values_list("pk", flat=True):
        _each(event_id, partial(_archive, event_id, now))


def _rebuild_if_still_lost(event_id: int, now: datetime) -> None:
    """Another ticker may have seen to it; a line that stands is left standing."""
    queue = SaleQueue.objects.get(pk=event_id)
    if store.epoch_of(event_id) != queue.epoch:
        rebuild_queue(event_id=event_id, now=now)


def _archive(event_id: int, now: datetime) -> None:
    if archive_queue(event_id=event_id, now=now):
        send_closing_pulse(event_id=event_id, now=now)


def _failed(event_id: int, answer: Any) -> bool:
    if isinstance(answer, Exception):
        log.error("queue %s: the tick failed: %s", event_id, answer)
        return True
    return False


def _each(event_id: int, work: Callable[[], Any]) -> None:
    """One event's trouble is not the others'."""
    try:
        work()
    except DomainError as refusal:
        log.warning("queue %s: %s", event_id, refusal)
    except Exception:
        log.exception("queue %s: failed", event_id)

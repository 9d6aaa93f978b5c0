"""What the runner does to the copy's sale, by the same services as an operator."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.events import services as events
from ticketing.events.models import Event
from ticketing.rehearsal import gateway_ledger
from ticketing.rehearsal.errors import NoSandbox
from ticketing.rehearsal.services.runner_contact import running_rehearsal_for_update
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

Queue, Sale = SaleQueue.State, Event.State
# For each move: the state of the queue, and the state of the event if it changes too.
MOVES: dict[str, tuple[SaleQueue.State, Event.State | None]] = {
    "lobby": (Queue.LOBBY, None),
    "open": (Queue.OPEN, Sale.ON_SALE),
    "pause": (Queue.PAUSED, None),
    "resume": (Queue.OPEN, Sale.ON_SALE),
    "drain": (Queue.DRAINING, None),
    "close": (Queue.CLOSED, Sale.CLOSED),
}


@transaction.atomic
def move_sale(*, code: str, to: str, by: User | None, now: datetime) -> str:
    """Make a move and return the queue's state. A repeat, after a lost answer, changes nothing."""
    copy = running_rehearsal_for_update(code, now=now).copy
    queue_state, event_state = MOVES[to]
    if SaleQueue.objects.get(pk=copy).state != queue_state:
        queues.move_queue(event_id=copy, to=queue_state, by=by, why="rehearsal", now=now)
    if event_state and event_state in Event.objects.get(pk=copy).moves:
        events.move_event(event_id=copy, to=event_state, by=by, reason="rehearsal", now=now)
    return str(queue_state.value)


@transaction.atomic
def set_knobs(*, code: str, knobs: dict[str, Any], by: User | None, now: datetime) -> SaleQueue:
    copy = running_rehearsal_for_update(code, now=now).copy
    return queues.set_knobs(event_id=copy, knobs=knobs, by=by, why="rehearsal", now=now)


def set_gateway_behaviour(*, code: str, failure_rate: float, latency: float, now: datetime) -> None:
    """Make the sandbox fail or be slow, until the clean-up at the latest."""
    with transaction.atomic():
        running_rehearsal_for_update(code, now=now)
    if not gateway_ledger.is_sandbox():
        raise NoSandbox()
    gateway_ledger.set_gateway_behaviour(failure_rate=failure_rate, latency=latency)

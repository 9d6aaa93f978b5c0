"""What the director does to the sale: the same as an operator, by the same services."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.events import services as events
from ticketing.events.models import Event
from ticketing.rehearsal import gateway_ledger
from ticketing.rehearsal.errors import NoSandbox
from ticketing.rehearsal.services.hearing import rehearsal_under_way
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

Line, Sale = SaleQueue.State, Event.State
# Each move: where the queue goes, and the event with it.
MOVES: dict[str, tuple[SaleQueue.State, Event.State | None]] = {
    "lobby": (Line.LOBBY, None),
    "open": (Line.OPEN, Sale.ON_SALE),
    "pause": (Line.PAUSED, None),
    "resume": (Line.OPEN, Sale.ON_SALE),
    "drain": (Line.DRAINING, None),
    "close": (Line.CLOSED, Sale.CLOSED),
}


@transaction.atomic
def move(*, code: str, to: str, by: User | None, now: datetime) -> str:
    """The state of the queue afterwards. A repeat changes nothing: answers get lost."""
    copy = rehearsal_under_way(code, now=now).copy
    line, sale = MOVES[to]
    if SaleQueue.objects.get(pk=copy).state != line:
        queues.move_queue(event_id=copy, to=line, by=by, why="rehearsal", now=now)
    if sale and sale in Event.objects.get(pk=copy).moves:
        events.move_event(event_id=copy, to=sale, by=by, reason="rehearsal", now=now)
    return str(line.value)


@transaction.atomic
def turn_knobs(*, code: str, knobs: dict[str, Any], by: User | None, now: datetime) -> SaleQueue:
    copy = rehearsal_under_way(code, now=now).copy
    return queues.set_knobs(event_id=copy, knobs=knobs, by=by, why="rehearsal", now=now)


def make_weather(*, code: str, failure_rate: float, latency: float, now: datetime) -> None:
    """How the sandbox fares from now on; the clean-up brings fair weather again."""
    with transaction.atomic():
        rehearsal_under_way(code, now=now)
    if not gateway_ledger.is_here():
        raise NoSandbox()
    gateway_ledger.make_weather(failure_rate=failure_rate, latency=latency)

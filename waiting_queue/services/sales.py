"""The sale and its line, operated as one: open, stop, close, open again, reset."""

from datetime import datetime
from typing import Any

from django.db import transaction

from ticketing.accounts.models import User
from ticketing.core.errors import NotFound
from ticketing.events.models import Approval, Event
from ticketing.events.services import event_for_update, move_event, require_approval
from waiting_queue.errors import LineIsClosing, SaleHasBegun
from waiting_queue.locks import queue_for_update
from waiting_queue.models import (
    MinuteDraw,
    QueueDraw,
    QueueJournal,
    SaleQueue,
    new_draw_secrets,
    new_minute_secrets,
)
from waiting_queue.selectors.sales import NOT_BEGUN, STOPPED
from waiting_queue.services.audit_log import record_change
from waiting_queue.services.journal import archive_queue
from waiting_queue.services.queues import move_queue, write_rules
from waiting_queue.services.tick_messages import send_closing_message

State, Sale = SaleQueue.State, Event.State
ARCHIVE_TRIES = 10


def move_sale(
    *, event_id: int, to: str, ends: bool = True, by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """An operator moves the line, and the sale with it; closing it may need a second person.

    `ends`: what closing the line means for the sale.
    """
    audit: dict[str, Any] = {"event_id": event_id, "by": by, "why": why, "now": now}
    match to:
        case State.OPEN:
            return open_sale(**audit)
        case State.CLOSED:
            _require_approval_to_close(ends=ends, **audit)
            return close_sale(ends=ends, **audit)
        case State.SCHEDULED:
            return reset_sale(**audit)
        case _ if to == STOPPED:
            return stop_sale(**audit)
    return move_queue(to=State(to), **audit)


def _require_approval_to_close(*, event_id: int, ends: bool, **audit: Any) -> None:
    queue = SaleQueue.objects.select_related("event").filter(pk=event_id).first()
    if queue is None:
        raise NotFound()
    SaleQueue(state=queue.state).move_to(State.CLOSED)  # nobody is asked for what can't be
    action, wish = Approval.Action.CLOSE_SALE, {"ends": ends}
    require_approval(action=action, event_id=event_id, wish=wish, **audit)


def open_sale(*, event_id: int, by: User | None, why: str = "", now: datetime) -> SaleQueue:
    """Open or resume line and sale, whatever of both is not open. A closed line begins anew."""
    _archive_closed_line(event_id, now)
    return _open_sale(event_id, by, why, now)


@transaction.atomic
def _open_sale(event_id: int, by: User | None, why: str, now: datetime) -> SaleQueue:
    queue = queue_for_update(event_id)
    event = event_for_update(event_id)
    runs = queue.state in (State.OPEN, State.DRAINING)
    if event.state in (Sale.ANNOUNCED, Sale.PAUSED, Sale.CLOSED):
        is_resumed = runs and event.state == Sale.PAUSED
        move_event(event_id=event_id, to=Sale.ON_SALE, by=by, reason=why, now=now)
        if is_resumed:
            return queue
    return move_queue(event_id=event_id, to=State.OPEN, by=by, why=why, now=now)


@transaction.atomic
def stop_sale(*, event_id: int, by: User | None, why: str = "", now: datetime) -> SaleQueue:
    """Nobody is called, and nobody inside can take seats; what is held can still be paid for."""
    queue = queue_for_update(event_id)
    move_event(event_id=event_id, to=Sale.PAUSED, by=by, reason=why, now=now)
    transaction.on_commit(lambda: write_rules(queue, now), robust=True)  # not at the next tick only
    return queue


@transaction.atomic
def close_sale(
    *, event_id: int, ends: bool, by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Close the line: the sale ends with it, or goes on for everybody without a line."""
    queue = move_queue(event_id=event_id, to=State.CLOSED, by=by, why=why, now=now)
    if ends and Sale.CLOSED in event_for_update(event_id).moves:
        move_event(event_id=event_id, to=Sale.CLOSED, by=by, reason=why, now=now)
    return queue


def reset_sale(*, event_id: int, by: User | None, why: str = "", now: datetime) -> SaleQueue:
    """Before the sale has begun: send everybody out of lobby and line, and plan it anew."""
    queue = SaleQueue.objects.select_related("event").get(pk=event_id)
    if queue.event.state not in NOT_BEGUN:
        raise SaleHasBegun()
    if queue.state in SaleQueue.RUNNING:
        move_queue(event_id=event_id, to=State.CLOSED, by=by, why=why, now=now)
    _archive_closed_line(event_id, now)
    return _reset(event_id, by, why, now)


@transaction.atomic
def _reset(event_id: int, by: User | None, why: str, now: datetime) -> SaleQueue:
    """With a new secret, as the old one may be known; nobody's number or draw is left over."""
    queue = queue_for_update(event_id)
    event, before = event_for_update(event_id), queue.state
    if event.state not in NOT_BEGUN:
        raise SaleHasBegun()
    queue.move_to(State.SCHEDULED)
    if queue.epoch:
        raise LineIsClosing()
    QueueJournal.objects.filter(event_id=event_id).delete()
    QueueDraw.objects.filter(pk=event_id).delete()
    MinuteDraw.objects.filter(queue=queue).delete()
    queue.numbers_from = 0
    queue.draw_secrets = new_draw_secrets()
    queue.minute_secrets = new_minute_secrets() if queue.minute_secrets else ""
    queue.public_value_source = queue.public_value = ""
    if queue.opens_at <= now:  # or the next tick would open it again
        queue.opens_at = event.on_sale_at
    if queue.lobby_opens_at and queue.lobby_opens_at <= now:
        queue.lobby_opens_at = None
    draw_fields = ["draw_secrets", "minute_secrets", "public_value_source", "public_value"]
    plan_fields = ["state", "opens_at", "lobby_opens_at", "numbers_from"]
    queue.save(update_fields=[*plan_fields, *draw_fields])
    record_change(queue, by=by, now=now, what="state", before=before, after="scheduled", why=why)
    return queue


def _archive_closed_line(event_id: int, now: datetime) -> None:
    """A line that was closed a moment ago, which no tick has archived yet."""
    closed = SaleQueue.objects.filter(pk=event_id, state=State.CLOSED).exclude(epoch="")
    for _ in range(ARCHIVE_TRIES):
        if not closed.exists():
            return
        if archive_queue(event_id=event_id, now=now):
            send_closing_message(event_id=event_id, now=now)
            return
        with transaction.atomic():
            queue_for_update(event_id)  # another has it, which may have done the work

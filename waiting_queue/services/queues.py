"""The life of a queue: create, open, pause, drain, close, tune. Redis follows after the commit."""

import logging
import math
import secrets
from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.core.exceptions import ValidationError
from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.events.errors import NoSeats
from ticketing.events.models import Event, Seat
from waiting_queue import store
from waiting_queue.errors import (
    EventNotAnnounced,
    LineIsClosing,
    QueueExists,
    QueueNotBegun,
)
from waiting_queue.locks import queue_for_update
from waiting_queue.models import (
    KNOBS,
    LANES_OR_MINUTES,
    Lane,
    QueueDraw,
    SaleQueue,
    new_minute_secrets,
)
from waiting_queue.services.audit_log import NO_PUBLIC_VALUE, blocked_people, record_change
from waiting_queue.services.bypasses import write_bypasses
from waiting_queue.services.draw_secrets import encrypt_secrets
from waiting_queue.services.rebuilds import last_numbers, rebuild_queue, restore_minutes
from waiting_queue.services.rules import is_drawing, rules_of

log = logging.getLogger(__name__)
State = SaleQueue.State
Mode = SaleQueue.Mode
# What people were promised on arrival stays: once the lobby is open, its rules are fixed.
CHANGEABLE_IN: dict[str, frozenset[State]] = {
    "lobby_opens_at": frozenset({State.SCHEDULED}),
    "mode": frozenset({State.SCHEDULED, State.OPEN, State.PAUSED}),
    "opens_at": frozenset({State.SCHEDULED, State.LOBBY}),
}
ANY_TIME = frozenset(State) - {State.CLOSED}
# Columns that follow from the mode.
MODE_FIELDS = ("minute_secrets", "shuffle_lobby")


@transaction.atomic
def create_queue(
    *, event_id: int, by: User | None, why: str = "", now: datetime, **knobs: Any
) -> SaleQueue:
    """Create the queue of an event; without `opens_at` it opens when the sale starts."""
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        raise NotFound()
    _require_known(knobs)
    knobs["opens_at"] = knobs.get("opens_at") or event.on_sale_at
    queue = SaleQueue(event=event, **knobs)
    _validate_knobs(queue)
    _prepare_mode(queue)
    try:
        with transaction.atomic():
            queue.save(force_insert=True)
    except IntegrityError:
        raise QueueExists() from None
    record_change(queue, by=by, now=now, what="created", after=queue.opens_at, why=why)
    return queue


@transaction.atomic
def move_queue(
    *, event_id: int, to: SaleQueue.State, by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Move a queue to another state and record who did it."""
    queue = queue_for_update(event_id)
    before = queue.state
    queue.move_to(to)
    if to == State.OPEN and not Seat.objects.filter(event_id=event_id).exists():
        raise NoSeats()
    if before == State.CLOSED and queue.epoch:
        raise LineIsClosing()
    starts = not queue.epoch and to != State.CLOSED
    if starts and queue.event.state == Event.State.DRAFT:
        raise EventNotAnnounced()
    if starts:
        queue.epoch = secrets.token_urlsafe(9)
        _prepare_mode(queue)
    queue.save(update_fields=["state", "epoch", *MODE_FIELDS])
    if to == State.OPEN and before == State.LOBBY:
        _begin_draw(queue, now)
    record_change(
        queue, by=by, now=now, what="state", before=before, after=State(to).value, why=why
    )
    # If Redis is down the move stands all the same: every tick writes the rules again.
    transaction.on_commit(lambda: write_rules(queue, now, new=starts), robust=True)
    return queue


@transaction.atomic
def set_knobs(
    *, event_id: int, knobs: dict[str, Any], by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Change knobs, all or none; the next tick uses them."""
    queue = queue_for_update(event_id)
    _require_known(knobs)
    before = {name: getattr(queue, name) for name in knobs}
    for name, value in knobs.items():
        setattr(queue, name, value)
    _validate_knobs(queue)
    changed = [name for name in knobs if getattr(queue, name) != before[name]]
    _require_changeable(queue, changed)
    _prepare_mode(queue)
    queue.save(update_fields=[*changed, *MODE_FIELDS])
    for name in changed:
        after = getattr(queue, name)
        record_change(queue, by=by, now=now, what=name, before=before[name], after=after, why=why)
    if "mode" in changed:  # not at the next tick only: too many may be coming in
        transaction.on_commit(lambda: write_rules(queue, now), robust=True)
    return queue


def rebuild_queue_on_request(
    *, event_id: int, by: User | None, why: str = "", now: datetime
) -> int:
    """Rebuild a line because an operator asked for it; return how many people it holds."""
    queue = SaleQueue.objects.filter(pk=event_id).first()
    if queue is None:
        raise NotFound()
    if not queue.epoch:
        raise QueueNotBegun()
    while (count := rebuild_queue(event_id=event_id, now=now, even_whole=True)) is None:
        pass  # a worker rebuilt it at the same moment, or Redis lost it again
    record_change(queue, by=by, now=now, what="rebuilt", after=count, why=why)
    return count


def write_rules(queue: SaleQueue, now: datetime, *, new: bool = False) -> int:
    """Write the rules of a queue that has started to Redis; a new line goes on counting."""
    if not queue.epoch:
        return 0
    if new and any((last := last_numbers(queue.pk)).values()):
        store.continue_line(queue.pk, last, blocked_people(queue.pk))
        restore_minutes(queue)
    rules = rules_of(queue, drawing=is_drawing(queue.pk))
    first_number = store.run(store.configure(queue.pk, rules, now, new=new))
    if new:
        write_bypasses(queue.pk)
    return first_number


def _begin_draw(queue: SaleQueue, now: datetime) -> None:
    """Leave the draw to the next tick; a public value that is missing now stays out of it."""
    if not queue.draw_secrets:  # created by a process of the previous release
        encrypt_secrets(queue)
    QueueDraw.objects.create(queue=queue, at=now, shuffled=queue.draws_lobby)
    if queue.public_value_source and not queue.public_value:
        record_change(queue, by=None, now=now, what="public_value", why=NO_PUBLIC_VALUE)


def changeable_knobs(state: str) -> frozenset[str]:
    """Return the knobs that may be changed while a queue is in this state."""
    return frozenset(name for name in KNOBS if state in CHANGEABLE_IN.get(name, ANY_TIME))


def mode_choices(queue: SaleQueue) -> list[tuple[str, str]]:
    """Return the modes that this queue may have now, its own first, with their labels."""
    others = [mode for mode in Mode if mode != queue.mode and _may_become(queue, mode)]
    return [(str(mode.value), str(mode.label)) for mode in (Mode(queue.mode), *others)]


def _may_become(queue: SaleQueue, mode: SaleQueue.Mode) -> bool:
    """A lobby is drawn at the opening: once the line is open there is none any more."""
    if mode == Mode.MINUTE_DRAW and _has_lanes(queue):
        return False
    is_early = queue.state == State.SCHEDULED
    return "mode" in changeable_knobs(queue.state) and (is_early or mode != Mode.DRAW)


def _has_lanes(queue: SaleQueue) -> bool:
    return Lane.objects.filter(queue_id=queue.pk).exists()


def _require_known(knobs: Collection[str]) -> None:
    if unknown := sorted(set(knobs) - set(KNOBS)):
        message = _("Unknown setting.")
        raise InvalidInput(fields={name: [message] for name in unknown})


def _prepare_mode(queue: SaleQueue) -> None:
    """Commit to the secrets of minutes before anybody comes in one; tell the previous release."""
    if queue.mode == Mode.MINUTE_DRAW and not queue.minute_secrets:
        queue.minute_secrets = new_minute_secrets()
    queue.shuffle_lobby = queue.draws_lobby


def _require_changeable(queue: SaleQueue, changed: Collection[str]) -> None:
    if fixed := sorted(set(changed) - changeable_knobs(queue.state)):
        state = State(queue.state).label
        message = _("This can't be changed while the queue is “%(state)s”.") % {"state": state}
        raise InvalidInput(fields={name: [message] for name in fixed})
    if "mode" in changed and queue.mode == Mode.MINUTE_DRAW and _has_lanes(queue):
        raise InvalidInput(fields={"mode": [LANES_OR_MINUTES]})
    if "mode" in changed and not _may_become(queue, Mode(queue.mode)):
        message = _("There is no lobby any more: choose “%(mode)s”.")
        raise InvalidInput(fields={"mode": [message % {"mode": Mode.FIRST_COME.label}]})


def _validate_knobs(queue: SaleQueue) -> None:
    """Run the model's validators and constraints on the knobs."""
    others = {field.name for field in SaleQueue._meta.fields} - set(KNOBS)
    try:
        queue.full_clean(exclude=others, validate_unique=False)
    except ValidationError as invalid:
        raise InvalidInput(fields=invalid.message_dict) from None
    numbers = {name: getattr(queue, name) for name in ("admit_per_second", "stock_factor")}
    infinite = [name for name, value in numbers.items() if value and not math.isfinite(value)]
    if infinite:
        raise InvalidInput(fields={name: [_("Enter a number.")] for name in infinite})

"""The autopilot of a sale: every few seconds it sets the admission rate by `autopilot_rules`."""

import logging
from datetime import datetime
from statistics import median

from django.core.exceptions import ValidationError
from django.db import transaction
from redis.exceptions import RedisError

from ticketing.accounts.models import User
from ticketing.console import selectors, store
from ticketing.console.models import Autopilot
from ticketing.console.services.autopilot_rules import (
    AutopilotBounds,
    AutopilotDecision,
    AutopilotMeasurements,
    decide,
)
from ticketing.core.errors import DomainError, InvalidInput
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.services import queue_for_update, record_change

log = logging.getLogger(__name__)
# The database time is the median of this many samples.
SAMPLES = 10
NAME, OFF = "autopilot", "off"
BY_HAND = "by_hand"
ACTIVE_STATES = (SaleQueue.State.OPEN, SaleQueue.State.DRAINING)


@transaction.atomic
def enable_autopilot(
    *, event_id: int, bounds: AutopilotBounds, by: User, why: str = "", now: datetime
) -> Autopilot:
    """Let the autopilot set the rate until somebody disables it or sets the rate by hand."""
    queue = queue_for_update(event_id)
    before = Autopilot.objects.filter(pk=event_id, is_on=True).first()
    autopilot = Autopilot(
        queue=queue, is_on=True, since_change=_last_rate_change(event_id), **vars(bounds)
    )
    try:
        autopilot.full_clean(exclude={"queue", "looked_at"}, validate_unique=False)
    except ValidationError as error:
        raise InvalidInput(fields=error.message_dict) from None
    autopilot.save()
    change = {"before": before.summary if before else OFF, "after": autopilot.summary, "why": why}
    record_change(queue, by=by, now=now, what=NAME, **change)
    return autopilot


@transaction.atomic
def disable_autopilot(*, event_id: int, by: User | None, why: str = "", now: datetime) -> bool:
    """Switch it off and keep the rate as it is; return whether it was on."""
    queue = queue_for_update(event_id)
    autopilot = Autopilot.objects.filter(pk=event_id, is_on=True).first()
    if autopilot is None:
        return False
    Autopilot.objects.filter(pk=event_id).update(is_on=False)
    record_change(queue, by=by, now=now, what=NAME, before=autopilot.summary, after=OFF, why=why)
    return True


def is_overridden(autopilot: Autopilot) -> bool:
    """Whether somebody set the rate by hand since the autopilot last did."""
    return _last_rate_change(autopilot.pk) > autopilot.since_change


def run_autopilots(*, now: datetime) -> dict[int, AutopilotDecision]:
    """Decide once for every running sale with an autopilot; one that fails stops no other."""
    decisions: dict[int, AutopilotDecision] = {}
    active = Autopilot.objects.filter(is_on=True, queue__state__in=ACTIVE_STATES)
    for autopilot in active.select_related("queue__event"):
        try:
            decision = _decide_once(autopilot.pk, measurements_of(autopilot.queue, now=now), now)
        except (RedisError, DomainError) as error:
            log.warning("autopilot of event %s made no decision: %s", autopilot.pk, error)
            continue
        if decision:
            decisions[autopilot.pk] = decision
    return decisions


def measurements_of(queue: SaleQueue, *, now: datetime) -> AutopilotMeasurements:
    """What the autopilot decides by; measured before any row is locked."""
    overview = queue_selectors.overview(queue, now=now)
    samples = store.latest_samples([queue.pk], SAMPLES)[queue.pk]
    fresh = [it for it in samples if now.timestamp() - it["second"] <= 2 * SAMPLES]
    database_times = [max(it["database_ms"], it.get("lock_ms", 0)) for it in fresh]
    return AutopilotMeasurements(
        page_ms=store.page_ms(now),
        database_ms=median(database_times) if database_times else None,
        waiting=overview.waiting,
        is_full=overview.is_full,
        room=selectors.room_for(queue.pk, called=overview.ready, inside=overview.inside),
    )


@transaction.atomic
def _decide_once(
    event_id: int, measured: AutopilotMeasurements, now: datetime
) -> AutopilotDecision | None:
    """Under the queue's row lock one worker decides, and no rate set by hand is overwritten."""
    queue = queue_for_update(event_id)
    autopilot = Autopilot.objects.filter(pk=event_id, is_on=True).first()
    if autopilot is None or not autopilot.is_due(now):
        return None
    if is_overridden(autopilot):
        disable_autopilot(event_id=event_id, by=None, why=f"{NAME}: {BY_HAND}", now=now)
        return None
    bounds = AutopilotBounds(
        autopilot.lowest, autopilot.highest, autopilot.page_ms, autopilot.database_ms
    )
    decision = decide(rate=queue.admit_per_second, bounds=bounds, measured=measured)
    if decision.rate != queue.admit_per_second:
        why = f"{NAME}: {decision.why} {decision.a} {decision.b}"
        knobs = {"admit_per_second": decision.rate}
        queues.set_knobs(event_id=event_id, knobs=knobs, by=None, why=why, now=now)
    reason = {"why": decision.why, "a": decision.a, "b": decision.b}
    Autopilot.objects.filter(pk=event_id).update(
        looked_at=now, since_change=_last_rate_change(event_id), **reason
    )
    return decision


def _last_rate_change(event_id: int) -> int:
    changes = QueueChange.objects.filter(queue_id=event_id, what="admit_per_second")
    return changes.order_by("-pk").values_list("pk", flat=True).first() or 0

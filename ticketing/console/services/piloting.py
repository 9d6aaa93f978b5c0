"""The autopilot of a sale: looks every few seconds, and turns the rate as `pilot.decide` says."""

import logging
from datetime import datetime
from statistics import median

from django.core.exceptions import ValidationError
from django.db import transaction
from redis.exceptions import RedisError

from ticketing.accounts.models import User
from ticketing.console import selectors, store
from ticketing.console.models import Autopilot
from ticketing.console.pilot import Decision, Limits, Seen, decide
from ticketing.core.errors import DomainError, InvalidInput
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.services import queue_for_update, record_change

log = logging.getLogger(__name__)
LOOK_BACK = 10
NAME, ON, OFF = "autopilot", "on", "off"
BY_HAND = "by_hand"
FLYING = (SaleQueue.State.OPEN, SaleQueue.State.DRAINING)


@transaction.atomic
def switch_on(
    *, event_id: int, limits: Limits, by: User, why: str = "", now: datetime
) -> Autopilot:
    """From the next look on it turns the rate; whoever turns it by hand switches it off."""
    queue = queue_for_update(event_id)
    before = Autopilot.objects.filter(pk=event_id, is_on=True).first()
    pilot = Autopilot(queue=queue, is_on=True, since_change=_last_change(event_id), **vars(limits))
    _check(pilot)
    pilot.save()
    told = {"before": before.words if before else OFF, "after": pilot.words, "why": why}
    record_change(queue, by=by, now=now, what=NAME, **told)
    return pilot


@transaction.atomic
def switch_off(*, event_id: int, by: User | None, why: str = "", now: datetime) -> bool:
    """The rate stays as it is. Whether it was on."""
    queue = queue_for_update(event_id)
    pilot = Autopilot.objects.filter(pk=event_id, is_on=True).first()
    if pilot is None:
        return False
    Autopilot.objects.filter(pk=event_id).update(is_on=False)
    record_change(queue, by=by, now=now, what=NAME, before=pilot.words, after=OFF, why=why)
    return True


def _check(pilot: Autopilot) -> None:
    try:
        pilot.full_clean(exclude={"queue", "looked_at"}, validate_unique=False)
    except ValidationError as refusal:
        raise InvalidInput(fields=refusal.message_dict) from None


def is_taken_over(pilot: Autopilot) -> bool:
    """Somebody turned the rate by hand since the pilot last did."""
    return _last_change(pilot.pk) > pilot.since_change


def fly(*, now: datetime) -> dict[int, Decision]:
    """One look at every sale that flies by itself; one that fails stops no other."""
    decided: dict[int, Decision] = {}
    flying = Autopilot.objects.filter(is_on=True, queue__state__in=FLYING)
    for pilot in flying.select_related("queue__event"):
        try:
            made = _decide_once(pilot.pk, seen_of(pilot.queue, now=now), now)
        except (RedisError, DomainError) as trouble:
            log.warning("autopilot %s: no decision: %s", pilot.pk, trouble)
            continue
        if made:
            decided[pilot.pk] = made
    return decided


def seen_of(queue: SaleQueue, *, now: datetime) -> Seen:
    """Measured before anything is locked."""
    line = queue_selectors.overview(queue, now=now)
    samples = store.latest([queue.pk], LOOK_BACK)[queue.pk]
    fresh = [it for it in samples if now.timestamp() - it["second"] <= 2 * LOOK_BACK]
    waits = [max(it["database_ms"], it.get("lock_ms", 0)) for it in fresh]
    return Seen(
        page_ms=store.page_ms(now),
        database_ms=median(waits) if waits else None,
        waiting=line.waiting,
        is_full=line.is_full,
        room=selectors.room_for(queue.pk, called=line.ready, inside=line.inside),
    )


@transaction.atomic
def _decide_once(event_id: int, seen: Seen, now: datetime) -> Decision | None:
    """Under the queue's lock: of several workers one decides; no turn by hand is overwritten."""
    queue = queue_for_update(event_id)
    pilot = Autopilot.objects.filter(pk=event_id, is_on=True).first()
    if pilot is None or not pilot.is_due(now):
        return None
    if is_taken_over(pilot):
        switch_off(event_id=event_id, by=None, why=f"{NAME}: {BY_HAND}", now=now)
        return None
    made = decide(rate=queue.admit_per_second, limits=pilot.limits, seen=seen)
    if made.rate != queue.admit_per_second:
        why = f"{NAME}: {made.why} {made.a} {made.b}"
        turned = {"admit_per_second": made.rate}
        queues.set_knobs(event_id=event_id, knobs=turned, by=None, why=why, now=now)
    said = {"why": made.why, "a": made.a, "b": made.b}
    Autopilot.objects.filter(pk=event_id).update(
        looked_at=now, since_change=_last_change(event_id), **said
    )
    return made


def _last_change(event_id: int) -> int:
    turned = QueueChange.objects.filter(queue_id=event_id, what="admit_per_second")
    return turned.order_by("-pk").values_list("pk", flat=True).first() or 0

"""Copy an event for a rehearsal: its plan, seats, prices and rules, without its sales."""

from datetime import datetime, timedelta
from typing import Any

from payments.models import RefundPolicy
from ticketing.accounts.models import User
from ticketing.events import services as events
from ticketing.events.models import Event, Grade, Seat
from ticketing.rehearsal.selectors import KNOBS
from waiting_queue import services as queues
from waiting_queue.models import Lane, SaleQueue

# The copy must not open by the clock: the rehearsal is over long before these times.
OPENS_IN = timedelta(days=1)
LOBBY_BEFORE_OPENING = timedelta(hours=1)
NOT_COPIED = (
    "id",
    "state",
    "created_at",
    "rehearsal_of",
    "title_ko",
    "title_en",
)
TITLES = {"title_ko": "[리허설] {}", "title_en": "[Rehearsal] {}"}
MAX_TITLE_LENGTH = 120
# In place of the value that the original's draw waits for.
PUBLIC_VALUE = "rehearsal"
COPIED_FROM_QUEUE = (*KNOBS, "queues_per_person", "stock_factor", "companions")
IDENTITY = Event.IdentityLevel.IDENTITY


def copy_event(
    *,
    source: Event,
    copy_id: int,
    knobs: dict[str, Any],
    identity_level: str | None = None,
    by: User | None,
    now: datetime,
) -> Event:
    """Create the announced copy, in the caller's transaction and by the operators' services.

    `identity_level` is asked of its people instead of the original's.
    """
    copy = _copy_event_row(source, copy_id, identity_level or source.identity_level, now)
    _copy_grades(source, copy)
    _copy_refund_policy(source, copy)
    events.create_seats(event_id=copy_id, by=by, now=now)
    _block_same_seats(source, copy, by, now)
    _copy_queue(source, copy, knobs, by, now)
    return events.move_event(event_id=copy_id, to=Event.State.ANNOUNCED, by=by, now=now)


def _copy_event_row(source: Event, copy_id: int, level: str, now: datetime) -> Event:
    fields = {
        field.attname: getattr(source, field.attname)
        for field in Event._meta.concrete_fields
        if field.name not in NOT_COPIED
    }
    titles = {
        name: pattern.format(getattr(source, name))[:MAX_TITLE_LENGTH]
        for name, pattern in TITLES.items()
    }
    asked = {
        "identity_level": level,
        "minimum_age": source.minimum_age if level == IDENTITY else 0,
    }
    copy: Event = Event.objects.create(
        **fields | titles | asked | _copy_times(source, now), pk=copy_id, rehearsal_of=source
    )
    return copy


def _copy_times(source: Event, now: datetime) -> dict[str, datetime | None]:
    """Keep the distance to the show, but a show that is near or over moves behind the opening."""
    opens = now + OPENS_IN
    shift = max(timedelta(0), opens + OPENS_IN - source.doors_at)
    return {
        "on_sale_at": opens,
        "doors_at": source.doors_at + shift,
        "starts_at": source.starts_at + shift,
        "ends_at": source.ends_at and source.ends_at + shift,
    }


def _copy_grades(source: Event, copy: Event) -> None:
    grades = list(source.grades.all())
    for grade in grades:
        grade.pk, grade.event = None, copy
    Grade.objects.bulk_create(grades)


def _copy_refund_policy(source: Event, copy: Event) -> None:
    policy = RefundPolicy.objects.filter(event=source).first()
    if policy:
        policy.pk, policy.event = None, copy
        policy.save(force_insert=True)


def _block_same_seats(source: Event, copy: Event, by: User | None, now: datetime) -> None:
    places = source.seats.filter(state=Seat.State.BLOCKED).values("place_id")
    seats = list(copy.seats.filter(place__in=places).values_list("pk", flat=True))
    if seats:
        events.block_seats(
            event_id=copy.pk, seat_ids=seats, by=by, reason="as in the original", now=now
        )


def _copy_queue(
    source: Event, copy: Event, knobs: dict[str, Any], by: User | None, now: datetime
) -> None:
    """Copy the queue's knobs, or use the defaults if the original has no queue."""
    original = SaleQueue.objects.filter(pk=source.pk).first()
    copied = {name: getattr(original, name) for name in COPIED_FROM_QUEUE} if original else {}
    queues.create_queue(
        event_id=copy.pk,
        by=by,
        now=now,
        opens_at=copy.on_sale_at,
        lobby_opens_at=copy.on_sale_at - LOBBY_BEFORE_OPENING,
        mode=SaleQueue.Mode.DRAW,
        **copied | knobs,
    )
    for lane in original.lanes.all() if original else ():
        _copy_lane(lane, copy, by, now)
    if original and original.public_value_source:
        audit: dict[str, Any] = {"event_id": copy.pk, "by": by, "now": now}
        queues.announce_public_value(source=original.public_value_source, **audit)
        queues.enter_public_value(value=PUBLIC_VALUE, **audit)


def _copy_lane(lane: Lane, copy: Event, by: User | None, now: datetime) -> None:
    """Rehearsal people join by their addresses and buy any seat; all lanes open with the queue."""
    key = Lane.Key.NONE if lane.key == Lane.Key.NONE else Lane.Key.EMAILS
    names = {name: getattr(lane, name) for name in ("name_ko", "name_en", "weight")}
    queues.save_lane(lane=Lane(queue_id=copy.pk, key=key, **names), by=by, now=now, limits={})

"""A copy of an event that nobody comes across: its plan, seats, prices and rules, and no sales."""

from datetime import datetime, timedelta
from typing import Any

from payments.models import RefundPolicy
from ticketing.accounts.models import User
from ticketing.events import services as events
from ticketing.events.models import Event, Grade, Seat
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

# Nothing opens by the clock: it is over long before this.
FAR_AWAY = timedelta(days=1)
LOBBY = timedelta(hours=1)
OWN = ("id", "state", "created_at", "rehearsal_of", "title_ko", "title_en")
TITLES = {"title_ko": "[리허설] {}", "title_en": "[Rehearsal] {}"}
LONGEST_TITLE = 120
# What a rehearsal may turn, before it and while it runs.
KNOBS = (
    *("max_inside", "admit_per_second", "capacity", "claim_seconds"),
    *("pass_seconds", "pass_max_seconds", "absence_seconds"),
)
COPIED = (*KNOBS, "queues_per_person", "stock_factor")


def copy_event(
    *, source: Event, number: int, knobs: dict[str, Any], by: User | None, now: datetime
) -> Event:
    """In the caller's transaction, by the services that operators use."""
    copy = _event(source, number, now)
    _copy_grades(source, copy)
    _copy_policy(source, copy)
    events.create_seats(event_id=number, by=by, now=now)
    _hold_back_the_same(source, copy, by, now)
    _copy_queue(source, copy, knobs, by, now)
    return events.move_event(event_id=number, to=Event.State.ANNOUNCED, by=by, now=now)


def _event(source: Event, number: int, now: datetime) -> Event:
    fields = {
        field.attname: getattr(source, field.attname)
        for field in Event._meta.concrete_fields
        if field.name not in OWN
    }
    titles = {
        name: words.format(getattr(source, name))[:LONGEST_TITLE] for name, words in TITLES.items()
    }
    made: Event = Event.objects.create(
        **fields | titles | _times(source, now), pk=number, rehearsal_of=source
    )
    return made


def _times(source: Event, now: datetime) -> dict[str, datetime | None]:
    """As far away as the show is; one that is near, or over, moves behind the opening."""
    opens = now + FAR_AWAY
    later = max(timedelta(0), opens + FAR_AWAY - source.doors_at)
    return {
        "on_sale_at": opens,
        "doors_at": source.doors_at + later,
        "starts_at": source.starts_at + later,
        "ends_at": source.ends_at and source.ends_at + later,
    }


def _copy_grades(source: Event, copy: Event) -> None:
    grades = list(source.grades.all())
    for grade in grades:
        grade.pk, grade.event = None, copy
    Grade.objects.bulk_create(grades)


def _copy_policy(source: Event, copy: Event) -> None:
    policy = RefundPolicy.objects.filter(event=source).first()
    if policy:
        policy.pk, policy.event = None, copy
        policy.save(force_insert=True)


def _hold_back_the_same(source: Event, copy: Event, by: User | None, now: datetime) -> None:
    places = source.seats.filter(state=Seat.State.BLOCKED).values("place_id")
    seats = list(copy.seats.filter(place__in=places).values_list("pk", flat=True))
    if seats:
        events.block_seats(
            event_id=copy.pk, seat_ids=seats, by=by, reason="as in the original", now=now
        )


def _copy_queue(
    source: Event, copy: Event, knobs: dict[str, Any], by: User | None, now: datetime
) -> None:
    """The usual knobs where the original has no queue; the lobby is drawn by lot."""
    original = SaleQueue.objects.filter(pk=source.pk).first()
    kept = {name: getattr(original, name) for name in COPIED} if original else {}
    queues.create_queue(
        event_id=copy.pk,
        by=by,
        now=now,
        opens_at=copy.on_sale_at,
        lobby_opens_at=copy.on_sale_at - LOBBY,
        shuffle_lobby=True,
        **kept | knobs,
    )

"""An event's seats: created from its plan, held back and released by operators."""

from collections.abc import Collection, Iterable
from datetime import datetime
from math import hypot

from django.db import transaction
from django.db.models import F, Max, Min

from ticketing.accounts.models import User
from ticketing.core.errors import IllegalMove
from ticketing.events import store
from ticketing.events.errors import GradesMissing, SeatsExist
from ticketing.events.locks import event_for_update, plan_for_update, seats_for_update
from ticketing.events.models import Event, Place, Seat, Section
from ticketing.events.services.changes import record_change

BATCH = 5_000


@transaction.atomic
def create_seats(*, event_id: int, by: User | None, now: datetime) -> int:
    """Create one seat of the event for every place of its plan, all or none."""
    event = event_for_update(event_id)
    if event.seats.exists():
        raise SeatsExist()
    plan_for_update(event.plan_id)
    places = Place.objects.filter(section__plan=event.plan).order_by("section__order", "id")
    grades = _grades_of(event, places.order_by().values_list("grade", flat=True).distinct())
    fields = places.values_list("id", "section_id", "grade", "x", "y")
    middle = _stage_middle(event)
    seats = [
        Seat(
            event=event,
            place_id=place,
            section_id=section,
            grade_id=grades[grade],
            distance=round(hypot(x - middle, y)),
        )
        for place, section, grade, x, y in fields
    ]
    Seat.objects.bulk_create(seats, batch_size=BATCH)
    record_change(
        event_id=event_id, what="seats", before="0", after=str(len(seats)), by=by, now=now
    )
    return len(seats)


def block_seats(
    *, event_id: int, seat_ids: Collection[int], by: User | None, reason: str, now: datetime
) -> int:
    """Hold these seats back from the sale, all or none."""
    free, blocked = Seat.State.AVAILABLE, Seat.State.BLOCKED
    return _move_seats(event_id, seat_ids, free, blocked, by=by, reason=reason, now=now)


def release_seats(
    *, event_id: int, seat_ids: Collection[int], by: User | None, reason: str, now: datetime
) -> int:
    """Put seats that were held back on sale again, all or none."""
    blocked, free = Seat.State.BLOCKED, Seat.State.AVAILABLE
    return _move_seats(event_id, seat_ids, blocked, free, by=by, reason=reason, now=now)


def next_seats_version(*, event_id: int) -> tuple[str, str, int]:
    """The Redis key, value and lifetime that outdate copies of the seat list after a commit."""
    return store.next_seats_version(event_id)


@transaction.atomic
def _move_seats(
    event_id: int,
    seat_ids: Collection[int],
    before: Seat.State,
    after: Seat.State,
    *,
    by: User | None,
    reason: str,
    now: datetime,
) -> int:
    seats = seats_for_update(event_id, seat_ids)
    if others := [seat for seat in seats if seat.state != before]:
        raise IllegalMove(before=others[0].get_state_display(), after=str(after.label))
    Seat.objects.filter(pk__in=[seat.pk for seat in seats]).update(state=after)
    record_change(
        event_id=event_id,
        what=f"seats {len(seats)}",
        before=before,
        after=after,
        by=by,
        why=reason,
        now=now,
    )
    return len(seats)


def _stage_middle(event: Event) -> float:
    """The x of the middle of the stage: the middle of the seated sections."""
    seated = event.plan.sections.filter(kind=Section.Kind.SEATED)
    ends = seated.aggregate(left=Min("x"), right=Max(F("x") + F("width")))
    return ((ends["left"] or 0) + (ends["right"] or 0)) / 2


def _grades_of(event: Event, codes: Iterable[str]) -> dict[str, int]:
    """The ids of the event's grades by code; refused if one of these codes has no price."""
    grades = dict(event.grades.values_list("code", "id"))
    if missing := sorted(set(codes) - set(grades)):
        raise GradesMissing(codes=", ".join(missing))
    return grades

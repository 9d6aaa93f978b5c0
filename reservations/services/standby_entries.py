"""Entries of standby lists: join a sold-out event, ask for fewer seats, leave, be removed."""

from contextlib import suppress
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import IntegrityError, transaction
from django.urls import reverse

from reservations import errors, selectors
from reservations.locks import reservation_for_update, standby_entry_for_update
from reservations.models import Reservation, StandbyChange, StandbyEntry, StandbyList
from reservations.models.standby import LATER, OUTCOMES
from reservations.selectors import standby
from reservations.services.releases import release, release_by_operator
from reservations.services.signals import offer_missed, removed_from_standby
from ticketing.accounts import selectors as accounts
from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.events.models import Event
from ticketing.events.selectors import require_own_sale
from ticketing.events.services import require_identity
from waiting_queue import errors as queue_errors
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

State = StandbyEntry.State
IN_LINE = frozenset({"waiting", "ready", "admitted"})
# Whose place in line becomes the one on the list.
CONVERTED = frozenset({"waiting", "ready"})


def join_standby(
    *,
    event_id: int,
    fan_id: int,
    quantity: int,
    grade: str = "",
    language: str = "",
    now: datetime,
) -> StandbyEntry:
    """Join the list. Who is on it already can only ask for fewer seats.

    Once it is sold out, the place on the list replaces the place in line.
    """
    require_own_sale(event_id=event_id, person_id=fan_id)
    event = _event_with_standby(event_id)
    if event.identity_level != Event.IdentityLevel.NONE:
        accounts.require_confirmed(fan_id)
    require_identity(event_id=event_id, person_id=fan_id)
    wish: Any = {"quantity": quantity, "grade": grade, "language": language}
    entry = _join_list(event, fan_id, now, **wish)
    if event.state == Event.State.SOLD_OUT:
        _leave_line(event_id, fan_id, now)
    return entry


def _join_list(
    event: Event, fan_id: int, now: datetime, *, quantity: int, grade: str, language: str
) -> StandbyEntry:
    event_id = event.pk
    settle_offer(event_id=event_id, fan_id=fan_id, now=now)
    mine = StandbyEntry.objects.filter(event_id=event_id, fan_id=fan_id)
    if mine.filter(state__in=StandbyEntry.LIVE).exists():
        return ask_for_fewer(event_id=event_id, fan_id=fan_id, quantity=quantity, now=now)
    opened = _require_list(event, now)
    _require_valid_wish(event, fan_id, quantity, grade, now)
    turn = _turn_number(event_id, fan_id, opened.last_number, now)
    wanted: Any = {"quantity": quantity, "grade": grade, "turn": turn, "language": language[:8]}
    try:
        return _create(event_id=event_id, fan_id=fan_id, created_at=now, **wanted)
    except IntegrityError:  # from another tab at the same moment
        return ask_for_fewer(event_id=event_id, fan_id=fan_id, quantity=quantity, now=now)


@transaction.atomic
def ask_for_fewer(*, event_id: int, fan_id: int, quantity: int, now: datetime) -> StandbyEntry:
    """Lower the number of seats and keep the place; the same number changes nothing."""
    entry = standby_entry_for_update(event_id=event_id, fan_id=fan_id, state__in=StandbyEntry.LIVE)
    if entry is None:
        raise errors.NotOnStandby()
    if quantity < 1 or quantity > entry.quantity:
        raise errors.OnlyFewerSeats()
    if quantity == entry.quantity:
        return entry
    if entry.state != State.WAITING:
        raise errors.OnlyFewerSeats()
    record_change(entry, before=str(entry.quantity), after=str(quantity), by=fan_id, now=now)
    entry.quantity = quantity
    entry.save(update_fields=["quantity"])
    return entry


@transaction.atomic
def leave_standby(*, event_id: int, fan_id: int, now: datetime) -> StandbyEntry | None:
    """Leave the list and release offered seats; a repeat changes nothing."""
    entry = standby_entry_for_update(event_id=event_id, fan_id=fan_id, state__in=StandbyEntry.LIVE)
    if entry is None:
        return None
    if outcome := _offer_outcome(entry):
        return _end(entry, now, to=outcome)
    if entry.reservation is not None:
        release(event_id=event_id, code=entry.reservation.code, fan_id=fan_id, now=now)
    return _end(entry, now, by=fan_id)


@transaction.atomic
def remove_from_standby(*, entry_id: int, by: User | None, why: str, now: datetime) -> StandbyEntry:
    """Remove an entry on behalf of an operator: release its offer and notify the fan.

    If its offer has ended already, the entry gets the outcome of the offer instead.
    """
    entry = standby_entry_for_update(pk=entry_id)
    if entry is None:
        raise NotFound()
    if outcome := _offer_outcome(entry):
        return _end(entry, now, to=outcome)
    if entry.reservation is not None:
        release_by_operator(code=entry.reservation.code, by=by, why=why, now=now)
    _end(entry, now, by=by.pk if by else None, why=why)
    details = {"why": why, "was_offered": entry.reservation is not None}
    removed_from_standby.send(StandbyEntry, entry=entry, now=now, **details, **_mail_fields(entry))
    return entry


@transaction.atomic
def settle_offer(*, now: datetime, **which: Any) -> StandbyEntry | None:
    """Give the entry the outcome of its offer, if that has ended."""
    entry = standby_entry_for_update(**which, state=State.OFFERED)
    outcome = _offer_outcome(entry) if entry else None
    return _end(entry, now, to=outcome) if entry and outcome else None


@transaction.atomic
def end_waiting(*, entry_id: int, why: str, now: datetime) -> None:
    """End a waiting entry for a reason of the system."""
    entry = standby_entry_for_update(pk=entry_id, state=State.WAITING)
    if entry is not None:
        _end(entry, now, why=why)


def open_list(event: Event, now: datetime) -> StandbyList:
    """Create the list: when the event sold out, and the last number in the queue by then."""
    last = _last_number(event.pk, now)
    fields = {"sold_out_at": now, "last_number": last}
    return StandbyList.objects.get_or_create(event=event, defaults=fields)[0]


def record_change(
    entry: StandbyEntry,
    *,
    before: str,
    after: str,
    now: datetime,
    by: int | None = None,
    why: str = "",
) -> None:
    StandbyChange.objects.create(
        entry=entry, at=now, by_id=by, before=before, after=after, why=why[:200]
    )


def _event_with_standby(event_id: int) -> Event:
    event = Event.objects.exclude(state=Event.State.DRAFT).filter(pk=event_id).first()
    if event is None:
        raise NotFound()
    if event.returns != Event.Returns.STANDBY or event.state not in standby.RUNNING:
        raise errors.StandbyClosed()
    return event


def _require_list(event: Event, now: datetime) -> StandbyList:
    if (found := standby.standby_list(event.pk)) is not None:
        return found
    if event.state != Event.State.SOLD_OUT:
        raise errors.NotSoldOut()
    return open_list(event, now)


def _require_valid_wish(
    event: Event, fan_id: int, quantity: int, grade: str, now: datetime
) -> None:
    if grade and not event.grades.filter(code=grade).exists():
        raise InvalidInput(fields={"grade": [grade]})
    own = selectors.own_seats(event_id=event.pk, fan_id=fan_id, now=now)
    left = max(event.seats_per_person - len(own), 0)
    if quantity < 1 or quantity > left:
        raise errors.TooManySeats(limit=event.seats_per_person, left=left)


def _turn_number(event_id: int, fan_id: int, last_number: int, now: datetime) -> int:
    """The queue number of who was in line at sell-out; everybody else follows by arrival."""
    try:
        found = queue.standing(event_id=event_id, person=str(fan_id), now=now)
    except queue_errors.QueueUnavailable:
        queue.require_open_sale(event_id)
        return LATER
    if found.state == "blocked":
        raise queue_errors.Blocked(
            why=queue_selectors.block_reason(event_id=event_id, person=str(fan_id))
        )
    was_in_line = found.state in IN_LINE and 0 < found.number <= last_number
    is_first = not StandbyEntry.objects.filter(event_id=event_id, fan_id=fan_id).exists()
    return found.number if was_in_line and is_first else LATER


def _leave_line(event_id: int, fan_id: int, now: datetime) -> None:
    """Not if the person holds seats, or may do so inside: leaving would release them."""
    if standby.open_holds(event_id).filter(fan_id=fan_id).exists():
        return
    with suppress(queue_errors.QueueUnavailable):
        found = queue.standing(event_id=event_id, person=str(fan_id), now=now)
        if found.state in CONVERTED:
            queue.leave(event_id=event_id, person=str(fan_id), now=now)


def _last_number(event_id: int, now: datetime) -> int:
    line = SaleQueue.objects.filter(pk=event_id).exclude(state=SaleQueue.State.CLOSED).first()
    if line is None:
        return 0
    seen = queue_selectors.overview(line, now=now)
    if not seen.known:
        raise queue_errors.QueueUnavailable()
    return seen.last_number


@transaction.atomic
def _create(**fields: Any) -> StandbyEntry:
    entry = StandbyEntry.objects.create(**fields)
    record_change(entry, before="", after=State.WAITING, by=entry.fan_id, now=entry.created_at)
    return entry


def _offer_outcome(entry: StandbyEntry) -> State | None:
    """The outcome of its offer, if that has ended."""
    offer = entry.reservation
    return OUTCOMES.get(Reservation.State(offer.state)) if offer else None


def _end(
    entry: StandbyEntry,
    now: datetime,
    *,
    to: State = State.LEFT,
    by: int | None = None,
    why: str = "",
) -> StandbyEntry:
    before = entry.state
    entry.move_to(to)
    entry.ended_at = now
    entry.save(update_fields=["state", "ended_at"])
    record_change(entry, before=before, after=to, by=by, why=why, now=now)
    if to == State.MISSED:
        _send_missed(entry, now)
    return entry


def _send_missed(entry: StandbyEntry, now: datetime) -> None:
    """Only for expired offers: a failed payment sends its own mail. The lock orders the mails."""
    offer = reservation_for_update(entry.reservation.code) if entry.reservation else None
    if offer is None or offer.state != Reservation.State.EXPIRED:
        return
    offer_missed.send(Reservation, reservation=offer, now=now, **_mail_fields(entry))


def _mail_fields(entry: StandbyEntry) -> dict[str, str]:
    link = reverse("reservations:standby", args=[entry.event_id])
    return {"link": link, "language": entry.language or settings.LANGUAGE_CODE}

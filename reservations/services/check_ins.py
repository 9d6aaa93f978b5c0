"""Check-ins at the door: each ticket lets one person in, once, at however many doors."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction

from reservations import locks
from reservations.errors import NoCheckIn, TooLateToUndo
from reservations.models import CheckIn, Ticket, TicketChange
from reservations.selectors import check_ins as selectors
from reservations.selectors.entry_numbers import is_called
from reservations.services.tickets import record_change
from reservations.tickets import signing
from ticketing.accounts.models import User
from ticketing.events.models import Event

Answer = CheckIn.Answer
State = Ticket.State
What = TicketChange.What
UNDO_MINUTES = 10
# A phone that claims to have been offline for longer has a wrong clock.
MAX_OFFLINE = timedelta(days=1)


@dataclass(frozen=True)
class Scan:
    """A scanned or typed code, as the door sends it."""

    key: UUID
    text: str
    scanned_at: datetime | None = None
    offline: bool = False
    # Ask before somebody is let in long before the doors open, or before their number is called.
    asks_first: bool = False


@dataclass(frozen=True)
class CheckInResult:
    """The answer for a ticket; `earlier` is when it was used, `reason` why it is void or early."""

    answer: Answer
    earlier: datetime | None = None
    reason: str = ""


def check_in(*, event_id: int, scan: Scan, by: User, now: datetime, door: str = "") -> CheckIn:
    """Check a code in, or answer why not. A repeated key gets the same answer."""
    if earlier := selectors.check_in_with(scan.key):
        return earlier
    ticket_id = _ticket_id(scan.text)
    try:
        return _record(event_id, ticket_id, scan, by, now, door)
    except IntegrityError:
        if earlier := selectors.check_in_with(scan.key):  # the same key at the same moment
            return earlier
        raise


def check_in_batch(
    *, event_id: int, scans: Iterable[Scan], by: User, now: datetime, door: str = ""
) -> list[CheckIn]:
    """Each in its own transaction; after a lost connection the door sends all of them again."""
    selectors.door_event(event_id)
    entries = [check_in(event_id=event_id, scan=scan, by=by, now=now, door=door) for scan in scans]
    return selectors.with_details(entries)


@transaction.atomic
def undo_check_in(*, key: UUID, by: User, now: datetime, why: str = "") -> CheckIn:
    """Undo a check-in, within some minutes; a repeat changes nothing."""
    found = selectors.check_in_with(key)
    if found is None or found.ticket_id is None or found.answer != Answer.VALID:
        raise NoCheckIn()
    ticket = locks.ticket_for_update(found.ticket_id)
    entry = locks.check_in_for_update(found.pk)
    if entry.undone_at is not None:
        return entry
    if now > entry.at + timedelta(minutes=UNDO_MINUTES):
        raise TooLateToUndo(minutes=UNDO_MINUTES)
    entry.undone_at, entry.undone_by = now, by
    entry.save(update_fields=["undone_at", "undone_by"])
    ticket.move_to(State.VALID)
    _save_use(ticket, None)
    record_change(ticket, What.UNDONE, now=now, by=by, before=entry.door, why=why)
    return entry


def _ticket_id(text: str) -> int | None:
    """The ticket of a signed QR code, or of a typed code."""
    if text.startswith(signing.PREFIX):
        payload = signing.verified_payload(text)
        return selectors.ticket_for_payload(payload) if payload else None
    return selectors.ticket_with_typed_code(text)


@transaction.atomic
def _record(
    event_id: int, ticket_id: int | None, scan: Scan, by: User, now: datetime, door: str
) -> CheckIn:
    ticket = locks.ticket_for_update(ticket_id) if ticket_id else None
    result = check_in_result(ticket, event_id=event_id)
    if ticket and result.answer == Answer.VALID and scan.asks_first:
        result = _too_early(ticket, now) or result
    entry = CheckIn.objects.create(
        key=scan.key,
        event_id=event_id,
        ticket=ticket,
        answer=result.answer,
        earlier=result.earlier,
        reason=result.reason,
        at=now,
        scanned_at=_plausible_time(scan.scanned_at, now),
        offline=scan.offline,
        door=door[:40],
        by=by,
    )
    if ticket and result.answer == Answer.VALID:
        ticket.move_to(State.USED)
        _save_use(ticket, entry.scanned_at)
        record_change(ticket, What.CHECKED_IN, now=now, by=by, after=entry.door)
    return entry


def check_in_result(ticket: Ticket | None, *, event_id: int) -> CheckInResult:
    """The answer for a ticket at the door of an event."""
    if ticket is None:
        return CheckInResult(Answer.UNKNOWN)
    if ticket.event_id != event_id:
        return CheckInResult(Answer.WRONG_EVENT)
    if ticket.state == State.USED:
        return CheckInResult(Answer.USED, earlier=ticket.used_at)
    if ticket.state != State.VALID:
        return CheckInResult(Answer.VOID, reason=ticket.reason or Ticket.Reason.REFUNDED)
    if ticket.event.state == Event.State.CANCELLED:
        return CheckInResult(Answer.VOID, reason=Ticket.Reason.CANCELLED)
    return CheckInResult(Answer.VALID)


def _too_early(ticket: Ticket, now: datetime) -> CheckInResult | None:
    """The doorkeeper decides; nothing is used up by the question."""
    if now < ticket.event.doors_at - selectors.EARLY:
        return CheckInResult(Answer.NOT_YET, reason=selectors.TOO_EARLY)
    if not is_called(ticket):
        return CheckInResult(Answer.NOT_YET, reason=selectors.NOT_CALLED)
    return None


def _save_use(ticket: Ticket, moment: datetime | None) -> None:
    ticket.used_at = moment
    ticket.save(update_fields=["state", "used_at"])


def _plausible_time(scanned_at: datetime | None, now: datetime) -> datetime:
    """The phone's time, unless its clock is clearly wrong."""
    if scanned_at is None or not now - MAX_OFFLINE < scanned_at < now:
        return now
    return scanned_at

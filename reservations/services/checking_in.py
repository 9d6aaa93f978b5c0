"""At the door: each ticket lets one person in, once, however many doors see it."""

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from uuid import UUID

from django.db import IntegrityError, transaction

from reservations import locks
from reservations.errors import NoCheckIn, TooLateToUndo
from reservations.models import CheckIn, Ticket, TicketChange
from reservations.services.issuing import note_change
from reservations.tickets import selectors, signing
from ticketing.accounts.models import User
from ticketing.events.models import Event

Answer = CheckIn.Answer
State = Ticket.State
What = TicketChange.What
UNDO_MINUTES = 10
# A phone that was offline for longer has lost its clock.
LONGEST_OFFLINE = timedelta(days=1)


@dataclass(frozen=True)
class Scan:
    """A code that was held up or typed, as the door sends it."""

    key: UUID
    text: str
    scanned_at: datetime | None = None
    offline: bool = False


@dataclass(frozen=True)
class CheckInResult:
    answer: Answer
    earlier: datetime | None = None
    reason: str = ""


def check_in(*, event_id: int, scan: Scan, by: User, now: datetime, door: str = "") -> CheckIn:
    """Let the bearer in, or say why not. The same key is told the same again."""
    if earlier := selectors.check_in_with(scan.key):
        return earlier
    pk = _ticket_meant(scan.text)
    try:
        return _decide(event_id, pk, scan, by, now, door)
    except IntegrityError:
        if earlier := selectors.check_in_with(scan.key):  # the same key, at the same moment
            return earlier
        raise


def check_in_all(
    *, event_id: int, scans: Iterable[Scan], by: User, now: datetime, door: str = ""
) -> list[CheckIn]:
    """Each for itself: who is cut short sends them all again."""
    selectors.door_event(event_id)
    told = [check_in(event_id=event_id, scan=it, by=by, now=now, door=door) for it in scans]
    return selectors.described(told)


@transaction.atomic
def undo_check_in(*, key: UUID, by: User, now: datetime, why: str = "") -> CheckIn:
    """Somebody was let in by mistake. Twice is fine; later than some minutes is not."""
    seen = selectors.check_in_with(key)
    if seen is None or seen.ticket_id is None or seen.answer != Answer.VALID:
        raise NoCheckIn()
    ticket = locks.ticket_for_update(seen.ticket_id)
    entry = locks.check_in_for_update(seen.pk)
    if entry.undone_at is not None:
        return entry
    if now > entry.at + timedelta(minutes=UNDO_MINUTES):
        raise TooLateToUndo(minutes=UNDO_MINUTES)
    entry.undone_at, entry.undone_by = now, by
    entry.save(update_fields=["undone_at", "undone_by"])
    ticket.move_to(State.VALID)
    _save_use(ticket, None)
    note_change(ticket, What.UNDONE, now=now, by=by, before=entry.door, why=why)
    return entry


def _ticket_meant(text: str) -> int | None:
    """By signature, or by the code that people can read out."""
    if text.startswith(signing.PREFIX):
        claim = signing.read(text)
        return selectors.ticket_claimed(claim) if claim else None
    return selectors.ticket_with_code(text)


@transaction.atomic
def _decide(
    event_id: int, pk: int | None, scan: Scan, by: User, now: datetime, door: str
) -> CheckIn:
    ticket = locks.ticket_for_update(pk) if pk else None
    verdict = judge(ticket, event_id=event_id)
    entry = CheckIn.objects.create(
        key=scan.key,
        event_id=event_id,
        ticket=ticket,
        answer=verdict.answer,
        earlier=verdict.earlier,
        reason=verdict.reason,
        at=now,
        scanned_at=_believable(scan.scanned_at, now),
        offline=scan.offline,
        door=door[:40],
        by=by,
    )
    if ticket and verdict.answer == Answer.VALID:
        ticket.move_to(State.USED)
        _save_use(ticket, entry.scanned_at)
        note_change(ticket, What.CHECKED_IN, now=now, by=by, after=entry.door)
    return entry


def judge(ticket: Ticket | None, *, event_id: int) -> CheckInResult:
    """What is so about a ticket at the door of an event."""
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


def _save_use(ticket: Ticket, moment: datetime | None) -> None:
    ticket.used_at = moment
    ticket.save(update_fields=["state", "used_at"])


def _believable(scanned_at: datetime | None, now: datetime) -> datetime:
    """The phone's own time, unless its clock is plainly wrong."""
    if scanned_at is None or not now - LONGEST_OFFLINE < scanned_at < now:
        return now
    return scanned_at

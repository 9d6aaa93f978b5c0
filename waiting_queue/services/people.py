"""What operators do to one person in a line: find, move out, block, let in again."""

from dataclasses import dataclass
from datetime import datetime

from django.db import transaction
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue import errors, store
from waiting_queue.locks import queue_for_update
from waiting_queue.models import BlockAppeal, QueueJournal, SaleQueue
from waiting_queue.services.changes import (
    BLOCKED,
    LONGEST,
    UNBLOCKED,
    about_person,
    note_change,
)
from waiting_queue.services.fans import LIVE
from waiting_queue.store import Standing


@dataclass(frozen=True)
class Found:
    """Where somebody is in a line, and why not if they are blocked."""

    user: User
    standing: Standing
    blocked_why: str | None

    @property
    def in_line(self) -> bool:
        return self.standing.state in LIVE


def person_with_email(email: str) -> User:
    user = User.objects.with_email(email).first()
    if user is None:
        raise errors.PersonUnknown()
    return user


def person_called(*, event_id: int, name: str) -> User:
    """By e-mail, or by the number that they have or had in this line."""
    number = name.strip().lstrip("#").replace(",", "")
    if number.isdigit() and len(number) < 19:
        return person_with_number(event_id=event_id, number=int(number))
    return person_with_email(name.strip())


def person_with_number(*, event_id: int, number: int) -> User:
    """Who waits is known to Redis; who is further, or gone, to the journal."""
    person: str | int | None = store.person_with_number(event_id, number)
    if person is None:
        entries = QueueJournal.objects.filter(event_id=event_id, number=number)
        person = entries.order_by("-pk").values_list("person", flat=True).first()
    user = User.objects.filter(pk=person).first() if person is not None else None
    if user is None or not number:
        raise errors.NumberUnknown()
    return user


def find_person(*, event_id: int, user: User, now: datetime) -> Found:
    """Looking is no sign of life: it doesn't keep anybody's place."""
    person = str(user.pk)
    standing = store.run(store.peek(event_id, person, now))
    return Found(user, standing, store.block_reason(event_id, person))


@transaction.atomic
def kick(*, event_id: int, person: str, by: User | None, why: str = "", now: datetime) -> str:
    """Move somebody out; they may join again, behind everybody. Answers where they were."""
    return _put_out(queue_for_update(event_id), person, "left", by=by, why=why, now=now)


@transaction.atomic
def block(*, event_id: int, person: str, by: User | None, why: str, now: datetime) -> str:
    """Move somebody out and keep them out; they are told why. Answers where they were."""
    if not why.strip() or len(why) > LONGEST:
        words = _("Say why, in at most %(most)s letters: the person reads it.") % {"most": LONGEST}
        raise InvalidInput(fields={"why": [words]})
    queue = queue_for_update(event_id)
    if queue.state == SaleQueue.State.CLOSED:
        raise errors.QueueOver()
    return _put_out(queue, person, BLOCKED, by=by, why=why, now=now)


@transaction.atomic
def unblock(*, event_id: int, person: str, by: User | None, why: str = "", now: datetime) -> None:
    """Somebody who was blocked may join again."""
    queue = queue_for_update(event_id)
    _note(queue, person, before=BLOCKED, after=UNBLOCKED, by=by, why=why, now=now)
    open_ones = BlockAppeal.objects.filter(
        queue=queue, person_id=int(person), state=BlockAppeal.State.OPEN
    )
    answered = {"answer": why[:LONGEST], "answered_by": by, "answered_at": now}
    open_ones.update(state=BlockAppeal.State.LIFTED, **answered)
    if not store.unblock(event_id, person):
        raise errors.PersonNotBlocked()


def _put_out(
    queue: SaleQueue, person: str, how: str, *, by: User | None, why: str, now: datetime
) -> str:
    """Redis comes last: if it can't be asked, nothing was noted either."""
    before = store.run(store.peek(queue.pk, person, now)).state
    _note(queue, person, before=before, after=how, by=by, why=why, now=now)
    was = store.run(store.leave(queue.pk, person, now, how=how, why=why))
    if was != "none":
        store.run(store.remove_membership(queue.pk, person))
    if was == "none" and how != BLOCKED:
        raise errors.PersonNotInLine()
    return was


def _note(
    queue: SaleQueue,
    person: str,
    *,
    before: str,
    after: str,
    by: User | None,
    why: str,
    now: datetime,
) -> None:
    what = about_person(person)
    note_change(queue, by=by, now=now, what=what, before=before, after=after, why=why)

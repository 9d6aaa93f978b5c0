"""Somebody who was blocked answers, and an operator decides."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.db.models import QuerySet
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput, NotFound
from waiting_queue import errors, store
from waiting_queue.locks import queue_for_update
from waiting_queue.models import LONGEST_APPEAL, BlockAppeal
from waiting_queue.services.changes import BLOCKED, LONGEST, REFUSED, about_person, note_change
from waiting_queue.services.people import unblock

# So often one person may write about one line.
MOST = 3
State = BlockAppeal.State


def appeal(*, event_id: int, person: str, words: str, now: datetime) -> BlockAppeal:
    """Take down what a blocked person has to say; one at a time, and not for ever."""
    _require_words(words)
    if store.block_reason(event_id, person) is None:
        raise errors.NotBlocked()
    if appeals_of(event_id=event_id, person=person).count() >= MOST:
        raise errors.AppealsUsedUp()
    try:
        with transaction.atomic():
            return BlockAppeal.objects.create(
                queue_id=event_id, person_id=int(person), at=now, words=words.strip()
            )
    except IntegrityError:
        raise errors.AppealWaits() from None


def last_appeal(*, event_id: int, person: str) -> BlockAppeal | None:
    return appeals_of(event_id=event_id, person=person).first()


def may_appeal(last: BlockAppeal | None, *, event_id: int, person: str) -> bool:
    if last is not None and last.state == State.OPEN:
        return False
    return appeals_of(event_id=event_id, person=person).count() < MOST


def appeals_of(*, event_id: int, person: str) -> QuerySet[BlockAppeal]:
    return BlockAppeal.objects.filter(queue_id=event_id, person_id=int(person))


def lift_appeal(*, appeal_id: int, answer: str, by: User | None, now: datetime) -> None:
    """Unblocking answers every open appeal of that person."""
    found = _open_appeal(appeal_id)
    person, why = str(found.person_id), answer or found.words
    unblock(event_id=found.queue_id, person=person, by=by, why=why[:LONGEST], now=now)


@transaction.atomic
def refuse_appeal(*, appeal_id: int, answer: str, by: User | None, now: datetime) -> BlockAppeal:
    """The block stays; the person reads the answer."""
    queue = queue_for_update(_open_appeal(appeal_id).queue_id)
    found = _open_appeal(appeal_id)  # again, now that nobody else can answer it
    found.move_to(State.REFUSED)
    found.answer, found.answered_by, found.answered_at = answer[:LONGEST], by, now
    found.save(update_fields=["state", "answer", "answered_by", "answered_at"])
    what = about_person(str(found.person_id))
    note_change(queue, by=by, now=now, what=what, before=BLOCKED, after=REFUSED, why=answer)
    return found


def _open_appeal(appeal_id: int) -> BlockAppeal:
    found = BlockAppeal.objects.filter(pk=appeal_id).first()
    if found is None:
        raise NotFound()
    BlockAppeal(state=found.state).move_to(State.LIFTED)  # an answered one takes no other answer
    return found


def _require_words(words: str) -> None:
    if not words.strip() or len(words) > LONGEST_APPEAL or "\x00" in words:
        told = _("Write something, in at most %(most)s letters.") % {"most": LONGEST_APPEAL}
        raise InvalidInput(fields={"words": [told]})

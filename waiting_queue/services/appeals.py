"""Appeals against a block or a demotion: the person writes, an operator decides."""

from datetime import datetime

from django.db import IntegrityError, transaction
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput, NotFound
from waiting_queue import errors, store
from waiting_queue.locks import queue_for_update
from waiting_queue.models import APPEAL_MAX_LENGTH, BlockAppeal
from waiting_queue.selectors.appeals import MAX_APPEALS, appeals_of
from waiting_queue.services.audit_log import (
    BLOCKED,
    DEMOTED,
    REFUSED,
    WHY_MAX_LENGTH,
    about_person,
    record_change,
)
from waiting_queue.services.demotions import undo_demotion
from waiting_queue.services.people import unblock

State = BlockAppeal.State


def submit_appeal(*, event_id: int, person: str, message: str, now: datetime) -> BlockAppeal:
    """Save somebody's appeal; one may be open at a time, and their number is limited."""
    if not message.strip() or len(message) > APPEAL_MAX_LENGTH or "\x00" in message:
        error = _("Write something, in at most %(most)s letters.") % {"most": APPEAL_MAX_LENGTH}
        raise InvalidInput(fields={"words": [error]})
    if _penalty(event_id, person) is None:
        raise errors.NotBlocked()
    try:
        return _add_appeal(event_id, person, message.strip(), now)
    except IntegrityError:
        raise errors.AppealWaits() from None


@transaction.atomic
def _add_appeal(event_id: int, person: str, message: str, now: datetime) -> BlockAppeal:
    """Counted under the lock of the queue, which an answer takes too."""
    queue = queue_for_update(event_id)
    if appeals_of(event_id=event_id, person=person).count() >= MAX_APPEALS:
        raise errors.AppealsUsedUp()
    return BlockAppeal.objects.create(queue=queue, person_id=int(person), at=now, words=message)


def lift_appeal(*, appeal_id: int, answer: str, by: User | None, now: datetime) -> None:
    """Grant an appeal: lift the block or undo the demotion, which closes it."""
    appeal = _open_appeal(appeal_id)
    person, why = str(appeal.person_id), answer or appeal.words
    lift = undo_demotion if _penalty(appeal.queue_id, person) == DEMOTED else unblock
    lift(event_id=appeal.queue_id, person=person, by=by, why=why[:WHY_MAX_LENGTH], now=now)


@transaction.atomic
def refuse_appeal(*, appeal_id: int, answer: str, by: User | None, now: datetime) -> BlockAppeal:
    """Close an appeal without lifting anything; the person reads the answer."""
    queue = queue_for_update(_open_appeal(appeal_id).queue_id)
    appeal = _open_appeal(appeal_id)  # read again under the lock: another answer may have won
    appeal.move_to(State.REFUSED)
    appeal.answer, appeal.answered_by, appeal.answered_at = answer[:WHY_MAX_LENGTH], by, now
    appeal.save(update_fields=["state", "answer", "answered_by", "answered_at"])
    what = about_person(str(appeal.person_id))
    before = _penalty(queue.pk, str(appeal.person_id)) or ""
    record_change(queue, by=by, now=now, what=what, before=before, after=REFUSED, why=answer)
    return appeal


def _open_appeal(appeal_id: int) -> BlockAppeal:
    appeal = BlockAppeal.objects.filter(pk=appeal_id).first()
    if appeal is None:
        raise NotFound()
    BlockAppeal(state=appeal.state).move_to(State.LIFTED)  # raises unless the appeal is open
    return appeal


def _penalty(event_id: int, person: str) -> str | None:
    """What an operator did to this person, if anything: the block counts before the demotion."""
    if store.block_reason(event_id, person) is not None:
        return BLOCKED
    return DEMOTED if store.is_demoted(event_id, person) else None

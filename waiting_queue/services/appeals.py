"""Appeals against a block: the blocked person writes, an operator decides."""

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
    REFUSED,
    WHY_MAX_LENGTH,
    about_person,
    record_change,
)
from waiting_queue.services.people import unblock

State = BlockAppeal.State


def submit_appeal(*, event_id: int, person: str, message: str, now: datetime) -> BlockAppeal:
    """Save a blocked person's appeal; one may be open at a time, and their number is limited."""
    if not message.strip() or len(message) > APPEAL_MAX_LENGTH or "\x00" in message:
        error = _("Write something, in at most %(most)s letters.") % {"most": APPEAL_MAX_LENGTH}
        raise InvalidInput(fields={"words": [error]})
    if store.block_reason(event_id, person) is None:
        raise errors.NotBlocked()
    if appeals_of(event_id=event_id, person=person).count() >= MAX_APPEALS:
        raise errors.AppealsUsedUp()
    try:
        with transaction.atomic():
            return BlockAppeal.objects.create(
                queue_id=event_id, person_id=int(person), at=now, words=message.strip()
            )
    except IntegrityError:
        raise errors.AppealWaits() from None


def lift_appeal(*, appeal_id: int, answer: str, by: User | None, now: datetime) -> None:
    """Grant an appeal: unblock the person, which closes it."""
    appeal = _open_appeal(appeal_id)
    person, why = str(appeal.person_id), answer or appeal.words
    unblock(event_id=appeal.queue_id, person=person, by=by, why=why[:WHY_MAX_LENGTH], now=now)


@transaction.atomic
def refuse_appeal(*, appeal_id: int, answer: str, by: User | None, now: datetime) -> BlockAppeal:
    """Close an appeal without lifting the block; the person reads the answer."""
    queue = queue_for_update(_open_appeal(appeal_id).queue_id)
    appeal = _open_appeal(appeal_id)  # read again under the lock: another answer may have won
    appeal.move_to(State.REFUSED)
    appeal.answer, appeal.answered_by, appeal.answered_at = answer[:WHY_MAX_LENGTH], by, now
    appeal.save(update_fields=["state", "answer", "answered_by", "answered_at"])
    what = about_person(str(appeal.person_id))
    record_change(queue, by=by, now=now, what=what, before=BLOCKED, after=REFUSED, why=answer)
    return appeal


def _open_appeal(appeal_id: int) -> BlockAppeal:
    appeal = BlockAppeal.objects.filter(pk=appeal_id).first()
    if appeal is None:
        raise NotFound()
    BlockAppeal(state=appeal.state).move_to(State.LIFTED)  # raises unless the appeal is open
    return appeal

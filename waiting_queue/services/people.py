"""What operators do to one person in a line: move out, block, unblock."""

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue import errors, store
from waiting_queue.locks import queue_for_update
from waiting_queue.models import BlockAppeal, SaleQueue
from waiting_queue.services.audit_log import (
    BLOCKED,
    UNBLOCKED,
    WHY_MAX_LENGTH,
    about_person,
    record_change,
)


@transaction.atomic
def kick(*, event_id: int, person: str, by: User | None, why: str = "", now: datetime) -> str:
    """Move somebody out; they may join again at the end. Return the state they were in."""
    return _move_out(queue_for_update(event_id), person, "left", by=by, why=why, now=now)


@transaction.atomic
def block(*, event_id: int, person: str, by: User | None, why: str, now: datetime) -> str:
    """Move somebody out for good; they read the reason. Return the state they were in."""
    if not why.strip() or len(why) > WHY_MAX_LENGTH:
        message = _("Say why, in at most %(most)s letters: the person reads it.")
        raise InvalidInput(fields={"why": [message % {"most": WHY_MAX_LENGTH}]})
    queue = queue_for_update(event_id)
    if queue.state == SaleQueue.State.CLOSED:
        raise errors.QueueOver()
    return _move_out(queue, person, BLOCKED, by=by, why=why, now=now)


@transaction.atomic
def unblock(*, event_id: int, person: str, by: User | None, why: str = "", now: datetime) -> None:
    """Let a blocked person join again, and close their open appeal."""
    queue = queue_for_update(event_id)
    what = about_person(person)
    record_change(queue, by=by, now=now, what=what, before=BLOCKED, after=UNBLOCKED, why=why)
    BlockAppeal.objects.filter(
        queue=queue, person_id=int(person), state=BlockAppeal.State.OPEN
    ).update(
        state=BlockAppeal.State.LIFTED,
        answer=why[:WHY_MAX_LENGTH],
        answered_by=by,
        answered_at=now,
    )
    if not store.unblock(event_id, person):
        raise errors.PersonNotBlocked()


@dataclass(frozen=True)
class PersonAction:
    """A button next to a person: its service, what the operator is told, what they must enter."""

    service: Callable[..., Any]
    consequence: Any
    needs_reason: bool = False


PERSON_ACTIONS = {
    "kick": PersonAction(
        kick, gettext_lazy("They lose their place and may join again, behind everybody.")
    ),
    "block": PersonAction(
        block,
        gettext_lazy("They lose their place and can't join again. They read your reason."),
        needs_reason=True,
    ),
    "unblock": PersonAction(unblock, gettext_lazy("They may join again, behind everybody.")),
}


def _move_out(
    queue: SaleQueue, person: str, how: str, *, by: User | None, why: str, now: datetime
) -> str:
    """Redis comes last: if it is down, the transaction takes the audit row back."""
    before = store.run(store.peek(queue.pk, person, now)).state
    what = about_person(person)
    record_change(queue, by=by, now=now, what=what, before=before, after=how, why=why)
    was = store.run(store.leave(queue.pk, person, now, how=how, why=why))
    if was != "none":
        store.run(store.remove_membership(queue.pk, person))
    if was == "none" and how != BLOCKED:
        raise errors.PersonNotInLine()
    return was

"""The outbox is emptied: in order for each reservation, at least once, and nothing is lost."""

import logging
from datetime import datetime, timedelta

from django.db import transaction

from payments import locks, mails
from payments.models import OutboxMessage
from ticketing.accounts.models import User
from ticketing.core import clock

State = OutboxMessage.State
log = logging.getLogger(__name__)
LEASE = timedelta(seconds=60)
ATTEMPTS = 10
LONGEST_PAUSE = 600
BATCH = 200


def deliver_messages(*, now: datetime, batch: int = BATCH) -> int:
    """How many were tried. Many workers may do this at once."""
    began = clock.monotonic()
    for count in range(batch):
        at = now + timedelta(seconds=clock.monotonic() - began)
        message = locks.claim_message(now=at, lease=at + LEASE)
        if message is None:
            return count
        _deliver(message, at)
    return batch


@transaction.atomic
def revive_message(*, pk: int, now: datetime, by: User | None = None) -> OutboxMessage:
    """A dead letter gets another life."""
    message = locks.message_for_update(pk)
    message.move_to(State.WAITING)
    message.attempts, message.due_at = 0, now
    message.save(update_fields=["state", "attempts", "due_at"])
    log.info("%s was revived by %s", message, by)
    return message


def _deliver(message: OutboxMessage, now: datetime) -> None:
    """Outside any transaction; a message whose worker dies here is delivered again."""
    try:
        mails.send_about(message.kind, message.body, name=f"{message.aggregate}-{message.sequence}")
    except Exception as trouble:
        log.exception("%s could not be delivered", message)
        _put_off(message, str(trouble) or type(trouble).__name__, now)
    else:
        mine = OutboxMessage.objects.filter(pk=message.pk, state=State.WAITING)
        mine.update(state=State.DELIVERED, delivered_at=now, error="")


def _put_off(message: OutboxMessage, error: str, now: datetime) -> None:
    """Later ones about the same reservation wait for it, until it is given up."""
    mine = OutboxMessage.objects.filter(pk=message.pk, state=State.WAITING)
    if message.attempts >= ATTEMPTS:
        mine.update(state=State.DEAD, error=error[:300])
        return
    pause = timedelta(seconds=min(2**message.attempts, LONGEST_PAUSE))
    mine.update(due_at=now + pause, error=error[:300])

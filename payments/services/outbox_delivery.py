"""Delivers outbox messages: at least once, and in order for each aggregate."""

import logging
from datetime import datetime, timedelta

from django.db import transaction

from payments import locks
from payments.models import OutboxMessage
from payments.outbox import mails
from ticketing.accounts.models import User
from ticketing.core import clock

State = OutboxMessage.State
log = logging.getLogger(__name__)
LEASE = timedelta(seconds=60)
ATTEMPTS = 10
LONGEST_PAUSE = 600
BATCH = 200


def deliver_messages(*, now: datetime, batch: int = BATCH) -> int:
    """Try to deliver what is due, and return how many were tried. Workers may do it in parallel."""
    began = clock.monotonic()
    for count in range(batch):
        at = now + timedelta(seconds=clock.monotonic() - began)
        message = locks.claim_outbox_message(now=at, lease=at + LEASE)
        if message is None:
            return count
        _deliver(message, at)
    return batch


@transaction.atomic
def revive_message(*, pk: int, now: datetime, by: User | None = None) -> OutboxMessage:
    """Have a dead message delivered again."""
    message = locks.message_for_update(pk)
    message.move_to(State.WAITING)
    message.attempts, message.due_at = 0, now
    message.save(update_fields=["state", "attempts", "due_at"])
    log.info("%s was revived by %s", message, by)
    return message


def _deliver(message: OutboxMessage, now: datetime) -> None:
    """Outside any transaction; if the worker dies here, the message is delivered again."""
    claimed = OutboxMessage.objects.filter(pk=message.pk, state=State.WAITING)
    try:
        mails.send_about(message.kind, message.body, name=f"{message.aggregate}-{message.sequence}")
    except Exception as exception:
        log.exception("%s could not be delivered", message)
        error = (str(exception) or type(exception).__name__)[:300]
        if message.attempts >= ATTEMPTS:
            claimed.update(state=State.DEAD, error=error)
        else:  # later messages about the same aggregate wait for it
            pause = timedelta(seconds=min(2**message.attempts, LONGEST_PAUSE))
            claimed.update(due_at=now + pause, error=error)
    else:
        claimed.update(state=State.DELIVERED, delivered_at=now, error="")

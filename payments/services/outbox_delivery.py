"""Delivers outbox messages: at least once, and in order for each aggregate."""

import logging
from collections.abc import Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from smtplib import SMTPException

from django.db import transaction
from django.db.models import F, QuerySet

from payments import locks, outbox
from payments.models import OutboxMessage
from payments.outbox import mails
from reservations import services as reservations
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.core.mails import MailConnection, MailServerUnavailable

State = OutboxMessage.State
log = logging.getLogger(__name__)
LEASE = timedelta(seconds=60)
# A mail begun before this has time to be sent before the lease ends and another worker repeats it.
LAST_START = LEASE / 2
ATTEMPTS = 10
LONGEST_PAUSE = 600
# How long messages wait that found no mail server. It is not their fault: no attempt is counted.
SERVER_PAUSE = timedelta(seconds=30)
# Claimed together. If the worker is killed, as many mails may be sent twice.
BATCH = 20
LIMIT = 200


def deliver_messages(*, now: datetime, limit: int = LIMIT) -> int:
    """Try to deliver what is due, and return how many were tried. Workers may do it in parallel."""
    began, tried = clock.monotonic(), 0
    with MailConnection() as connection, suppress(MailServerUnavailable):
        while tried < limit:
            at = now + timedelta(seconds=clock.monotonic() - began)
            size = min(BATCH, limit - tried)
            messages = locks.claim_outbox_messages(now=at, lease=at + LEASE, limit=size)
            if not messages:
                break
            tried += len(messages)
            _deliver(messages, connection, at)
    return tried


@transaction.atomic
def revive_message(*, pk: int, now: datetime, by: User | None = None) -> OutboxMessage:
    """Have a dead message delivered again."""
    message = locks.message_for_update(pk)
    message.move_to(State.WAITING)
    message.attempts, message.due_at = 0, now
    message.save(update_fields=["state", "attempts", "due_at"])
    log.info("%s was revived by %s", message, by.pk if by else "the system")
    return message


def _deliver(messages: Sequence[OutboxMessage], connection: MailConnection, now: datetime) -> None:
    """Outside any transaction; if the worker dies here, the messages are delivered again."""
    began, delivered = clock.monotonic(), []
    sold = [it.body for it in messages if it.kind == outbox.RESERVATION_CONFIRMED]
    if bought := {
        body["event"] for body in sold if isinstance(body.get("event"), int)
    }:  # before their tickets are mailed
        reservations.assign_entry_numbers(event_ids=bought, now=now)
    related = mails.load_related([message.body for message in messages])
    try:
        for n, message in enumerate(messages):
            elapsed = timedelta(seconds=clock.monotonic() - began)
            if elapsed > LAST_START:
                _put_back(messages[n:], due_at=now + elapsed)
                break
            try:
                mails.send_about(message, related, connection)
            except MailServerUnavailable as outage:
                log.warning("mails wait for the mail server: %s", outage)
                _put_back(messages[n:], due_at=now + SERVER_PAUSE, error=str(outage))
                raise
            except Exception as exception:
                _record_failure(message, exception, now)
            else:
                delivered.append(message.pk)
    finally:
        sent = OutboxMessage.objects.filter(pk__in=delivered, state=State.WAITING)
        sent.update(state=State.DELIVERED, delivered_at=now, error="")


def _put_back(messages: Sequence[OutboxMessage], *, due_at: datetime, error: str = "") -> None:
    _claimed(messages).update(due_at=due_at, attempts=F("attempts") - 1, error=error[:300])


def _record_failure(message: OutboxMessage, exception: Exception, now: datetime) -> None:
    # What a mail server says may contain the address, which does not belong in a log.
    traced = exception if not isinstance(exception, SMTPException) else None
    log.error("%s could not be delivered: %s", message, type(exception).__name__, exc_info=traced)
    error = (str(exception) or type(exception).__name__)[:300]
    if message.attempts >= ATTEMPTS:
        _claimed([message]).update(state=State.DEAD, error=error)
    else:  # later messages about the same aggregate wait for it
        pause = timedelta(seconds=min(2**message.attempts, LONGEST_PAUSE))
        _claimed([message]).update(due_at=now + pause, error=error)


def _claimed(messages: Sequence[OutboxMessage]) -> QuerySet[OutboxMessage]:
    """Those that nobody else has claimed, because our lease ended too soon."""
    pks, lease = [message.pk for message in messages], messages[0].due_at
    return OutboxMessage.objects.filter(pk__in=pks, state=State.WAITING, due_at=lease)

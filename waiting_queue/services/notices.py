"""The operator's message to everyone in line."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue.errors import QueueOver
from waiting_queue.locks import queue_for_update
from waiting_queue.models import SaleQueue
from waiting_queue.services.audit_log import record_change


@transaction.atomic
def set_notice(
    *, event_id: int, message: str, by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Replace the message to everyone in line; an empty one removes it."""
    queue = queue_for_update(event_id)
    if queue.state == SaleQueue.State.CLOSED:
        raise QueueOver()
    before, queue.notice = queue.notice, message.strip()
    others = {field.name for field in SaleQueue._meta.fields} - {"notice"}
    try:
        queue.clean_fields(exclude=others)
    except ValidationError as invalid:
        raise InvalidInput(fields={"message": invalid.messages}) from None
    if queue.notice != before:
        queue.save(update_fields=["notice"])
        record_change(
            queue, by=by, now=now, what="notice", before=before, after=queue.notice, why=why
        )
    return queue

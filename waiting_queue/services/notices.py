"""What an operator tells everybody in line."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue.errors import NoQueue, QueueOver
from waiting_queue.locks import queue_for_update
from waiting_queue.models import SaleQueue
from waiting_queue.services.changes import note_change


@transaction.atomic
def tell_everyone(
    *, event_id: int, message: str, by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Put up a message in place of the one there is; an empty one takes it back."""
    queue = queue_for_update(event_id)
    if queue.state == SaleQueue.State.CLOSED:
        raise QueueOver()
    before, queue.notice = queue.notice, message.strip()
    _check(queue)
    if queue.notice != before:
        queue.save(update_fields=["notice"])
        note_change(
            queue, by=by, now=now, what="notice", before=before, after=queue.notice, why=why
        )
    return queue


def notice_of(event_id: int) -> str:
    """The message that is up now."""
    notice = SaleQueue.objects.filter(pk=event_id).values_list("notice", flat=True).first()
    if notice is None:
        raise NoQueue()
    return notice


def _check(queue: SaleQueue) -> None:
    others = {field.name for field in SaleQueue._meta.fields} - {"notice"}
    try:
        queue.clean_fields(exclude=others)
    except ValidationError as refusal:
        raise InvalidInput(fields={"message": refusal.messages}) from None

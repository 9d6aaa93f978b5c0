"""The public value that takes part in a draw: announced first, entered once it is known."""

from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction
from django.utils.translation import gettext as _

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput
from waiting_queue.errors import PublicValueFixed, PublicValueNotAnnounced, PublicValueTooLate
from waiting_queue.locks import queue_for_update
from waiting_queue.models import SaleQueue
from waiting_queue.services.audit_log import record_change

State = SaleQueue.State


@transaction.atomic
def announce_public_value(
    *, event_id: int, source: str, by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Say which value will be used, or (empty) that none will; only before the lobby opens."""
    queue = queue_for_update(event_id)
    if queue.state != State.SCHEDULED:
        raise PublicValueTooLate()
    if queue.public_value:
        raise PublicValueFixed()
    return _save(queue, "public_value_source", source.strip(), by, why, now)


@transaction.atomic
def enter_public_value(
    *, event_id: int, value: str, by: User | None, why: str = "", now: datetime
) -> SaleQueue:
    """Enter the value that was announced: once, and before the opening."""
    queue, value = queue_for_update(event_id), value.strip()
    if queue.state not in (State.SCHEDULED, State.LOBBY):
        raise PublicValueTooLate()
    if not queue.public_value_source:
        raise PublicValueNotAnnounced()
    if not value:
        raise InvalidInput(fields={"public_value": [_("Enter the value.")]})
    if queue.public_value and queue.public_value != value:
        raise PublicValueFixed()
    return _save(queue, "public_value", value, by, why, now)


def _save(
    queue: SaleQueue, name: str, value: str, by: User | None, why: str, now: datetime
) -> SaleQueue:
    before = getattr(queue, name)
    if value == before:  # a repeat
        return queue
    setattr(queue, name, value)
    others = {field.name for field in SaleQueue._meta.fields} - {name}
    try:
        queue.clean_fields(exclude=others)
    except ValidationError as invalid:
        raise InvalidInput(fields={name: invalid.messages}) from None
    queue.save(update_fields=[name])
    record_change(queue, by=by, now=now, what=name, before=before, after=value, why=why)
    return queue

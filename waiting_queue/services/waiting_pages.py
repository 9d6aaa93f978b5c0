"""An event's own waiting page: publish the draft, or withdraw what was published."""

from collections.abc import Sequence
from datetime import datetime

from django.core.exceptions import ValidationError
from django.db import transaction

from ticketing.accounts.models import User
from ticketing.core.errors import InvalidInput, NotFound
from waiting_queue.locks import queue_for_update
from waiting_queue.models import WaitingPage
from waiting_queue.services.audit_log import record_change

PAGE, PUBLISHED, WITHDRAWN = "page", "published", "withdrawn"


@transaction.atomic
def publish_page(*, event_id: int, by: User | None, why: str = "", now: datetime) -> WaitingPage:
    """Show the draft to the public, whole: the lock is also held while a draft is saved."""
    queue = queue_for_update(event_id)
    page = _page(event_id)
    # Not every row was written by the admin's form.
    for part in (page, *page.links.all(), *page.hints.all()):
        try:
            part.full_clean()
        except ValidationError as invalid:
            raise InvalidInput(fields=invalid.message_dict) from None
    content = page.content()
    if content != page.published:
        page.published, page.published_at = content, now
        page.save(update_fields=["published", "published_at"])
        record_change(queue, by=by, now=now, what=PAGE, after=PUBLISHED, why=why)
    return page


@transaction.atomic
def withdraw_page(*, event_id: int, by: User | None, why: str = "", now: datetime) -> WaitingPage:
    """Show the site's own waiting page again; the draft stays."""
    queue = queue_for_update(event_id)
    page = _page(event_id)
    if page.published is not None:
        page.published = page.published_at = None
        page.save(update_fields=["published", "published_at"])
        record_change(queue, by=by, now=now, what=PAGE, before=PUBLISHED, after=WITHDRAWN, why=why)
    return page


def record_draft(*, event_id: int, fields: Sequence[str], by: User | None, now: datetime) -> None:
    """Write down which parts of the draft an operator changed."""
    record_change(queue_for_update(event_id), by=by, now=now, what=PAGE, after=", ".join(fields))


def _page(event_id: int) -> WaitingPage:
    page = WaitingPage.objects.filter(pk=event_id).first()
    if page is None:
        raise NotFound()
    return page

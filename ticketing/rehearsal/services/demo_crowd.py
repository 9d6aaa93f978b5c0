"""People who fill a sale of the demo, and the pace at which their line can be watched."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from django.db import transaction
from django.utils.crypto import get_random_string

from ticketing.accounts import selectors as accounts_selectors
from ticketing.accounts import services as accounts
from ticketing.accounts.models import Consent, LegalDocument, User
from ticketing.core import clock
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue

FIRST_ID = 10**9  # far above those that the database gives, and below those of rehearsals
WHY = "the demo's crowd"


@dataclass(frozen=True)
class CrowdMember:
    id: int
    session: str


@transaction.atomic
def make_crowd(*, count: int) -> list[CrowdMember]:
    """Create new people each time, because those of an earlier crowd may have all they may buy."""
    now = clock.now()
    latest = User.objects.filter(pk__gte=FIRST_ID, pk__lt=10 * FIRST_ID).order_by("-pk").first()
    first = latest.pk + 1 if latest else FIRST_ID
    names = {pk: (f"fan-{pk}@crowd.invalid", f"Fan {pk}") for pk in range(first, first + count)}
    users = accounts.create_users(names=names, now=now)
    kinds = (*LegalDocument.REQUIRED, *LegalDocument.OF_ORDERS)
    documents = list(accounts_selectors.current_documents(kinds, now=now))
    Consent.objects.bulk_create(
        Consent(user=user, document=document, given_at=now)
        for user in users
        for document in documents
    )
    sessions = {get_random_string(32).lower(): user for user in users}
    accounts.open_sessions(sessions=sessions, now=now)
    return [CrowdMember(user.pk, key) for key, user in sessions.items()]


@contextmanager
def slow_sale(event_id: int, *, at_most: float) -> Iterator[None]:
    """Let people in so slowly that there is a line; afterwards as before, unless it was changed."""
    before = SaleQueue.objects.get(pk=event_id).admit_per_second
    if 0 < before <= at_most:
        yield
        return
    _set_pace(event_id, at_most)
    try:
        yield
    finally:
        if SaleQueue.objects.get(pk=event_id).admit_per_second == at_most:
            _set_pace(event_id, before)


def _set_pace(event_id: int, pace: float) -> None:
    knobs = {"admit_per_second": pace}
    queues.set_knobs(event_id=event_id, knobs=knobs, by=None, why=WHY, now=clock.now())

"""People are asked to verify who they are before they hold seats; their places are kept.

The request is a row of the audit log. Each process reads the rows at most once a second, so a hold
costs nothing more. Whom the system asked is not called before, either: without an identity they
could do nothing inside, and would take the turn of somebody else.
"""

from collections.abc import Sequence
from datetime import datetime

from django.conf import settings
from django.db import transaction

from ticketing.accounts.models import User
from ticketing.core.fast_path.threads import acached
from ticketing.core.ttl_cache import ttl_cache
from waiting_queue import store
from waiting_queue.errors import PersonNotAsked
from waiting_queue.locks import queue_for_update
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.services.audit_log import (
    ASKED,
    DEMOTED,
    GROUP,
    UNASKED,
    about_person,
    asked_people,
    demoted_people,
    people_of_groups,
)
from waiting_queue.services.people import require_reason


def ask_people_to_verify(
    *,
    event_id: int,
    people: Sequence[str],
    by: User | None,
    why: str,
    now: datetime,
    once: bool = False,
) -> list[str]:
    """Ask everybody of a group; return who was not asked before.

    `once` leaves out whom the system asked before, also if that was withdrawn.
    """
    require_reason(why)
    with transaction.atomic():
        queue = queue_for_update(event_id)
        known = {*asked_people(event_id), *(people_of_groups(event_id, ASKED) if once else ())}
        new = [person for person in dict.fromkeys(people) if person not in known]
        QueueChange.objects.bulk_create(
            QueueChange(queue=queue, at=now, by=by, what=about_person(it), after=ASKED, why=why)
            for it in new
        )
    return new


def ask_to_verify(*, event_id: int, person: str, by: User | None, why: str, now: datetime) -> None:
    ask_people_to_verify(event_id=event_id, people=[person], by=by, why=why, now=now)


@transaction.atomic
def withdraw_request(
    *, event_id: int, person: str, by: User | None, why: str = "", now: datetime
) -> None:
    """The person need not verify any more."""
    queue = queue_for_update(event_id)
    if person not in asked_people(event_id):
        raise PersonNotAsked()
    QueueChange.objects.create(
        queue=queue, at=now, by=by, what=about_person(person), before=ASKED, after=UNASKED, why=why
    )


def write_unverified(event_id: int) -> None:
    """Copy to the line in Redis who is not called until they verify, if that has changed."""
    if store.unverified(event_id) == _unverified(event_id):
        return
    with transaction.atomic():  # nobody is asked or restored meanwhile
        queue_for_update(event_id)
        store.run(store.set_unverified(event_id, sorted(_unverified(event_id))))


def _unverified(event_id: int) -> set[str]:
    """Whom the system asked because of a group, unless the group's move was undone for them."""
    is_used = SaleQueue.objects.filter(pk=event_id, moves_groups=True).exists()
    if not is_used or not settings.PORTONE_IDENTITY_CHANNEL_KEY:
        return set()
    asked = asked_people(event_id)
    people = {person for person, change in asked.items() if change.why.startswith(GROUP)}
    undone = people_of_groups(event_id, DEMOTED) - demoted_people(event_id).keys()
    return people - undone


@ttl_cache(1)
def people_asked(event_id: int) -> frozenset[str]:
    return frozenset(asked_people(event_id))


async def ais_asked(event_id: int, person: str) -> bool:
    return person in await acached(people_asked, event_id)

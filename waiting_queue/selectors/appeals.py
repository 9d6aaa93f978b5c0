"""Appeals as the blocked person sees them."""

from django.db.models import QuerySet

from waiting_queue.models import BlockAppeal

MAX_APPEALS = 3  # of one person in one queue


def appeals_of(*, event_id: int, person: str) -> QuerySet[BlockAppeal]:
    return BlockAppeal.objects.filter(queue_id=event_id, person_id=int(person))


def last_appeal(*, event_id: int, person: str) -> BlockAppeal | None:
    return appeals_of(event_id=event_id, person=person).first()


def may_appeal(last: BlockAppeal | None, *, event_id: int, person: str) -> bool:
    if last is not None and last.state == BlockAppeal.State.OPEN:
        return False
    return appeals_of(event_id=event_id, person=person).count() < MAX_APPEALS

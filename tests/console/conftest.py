from datetime import timedelta

import pytest
from django.contrib.auth.models import Group

from tests.making import make_user
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue


@pytest.fixture
def sale(event, operator, now) -> SaleQueue:
    """Open; five people stand in line and none is inside."""
    queue = SaleQueue.objects.create(event=event, opens_at=now - timedelta(minutes=1))
    queue = queues.move_queue(event_id=queue.pk, to="open", by=operator, now=now)
    queues.tick_open_queues(now=now)
    for person in range(1_001, 1_006):
        queues.join(event_id=queue.pk, person=str(person), now=now)
    return queue


@pytest.fixture
def person_of():
    """Somebody of the staff with a role."""

    def make(role: str, **fields):
        user = make_user(is_staff=True, **fields)
        user.groups.add(Group.objects.get(name=role))
        return user

    return make

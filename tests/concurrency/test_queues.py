"""Operators who act on one queue at the same moment, with and without the row lock."""

from itertools import pairwise
from threading import Barrier

import pytest

from tests.race import together, winners
from waiting_queue import services
from waiting_queue.errors import QueueExists
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.services import queues

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 8


@pytest.fixture
def queue(event, now) -> SaleQueue:
    return SaleQueue.objects.create(event=event, opens_at=now)


@pytest.fixture
def unlocked(monkeypatch):
    """The control: everybody reads the queue before anybody writes it, as without a lock."""
    everybody_has_read = Barrier(MANY)

    def queue_without_lock(event_id: int) -> SaleQueue:
        queue = SaleQueue.objects.get(pk=event_id)
        everybody_has_read.wait(10)
        return queue

    monkeypatch.setattr(queues, "queue_for_update", queue_without_lock)


def open_together(queue, now):
    return together(
        MANY, lambda _: services.move_queue(event_id=queue.pk, to="open", by=None, now=now)
    )


def test_one_of_many_operators_opens_a_queue(queue, now):
    assert len(winners(open_together(queue, now))) == 1
    assert QueueChange.objects.count() == 1


def test_control_without_the_lock_a_queue_is_opened_many_times(queue, now, unlocked):
    assert len(winners(open_together(queue, now))) == MANY


def turn_together(queue, now):
    def turn(number):
        knobs = {"max_inside": number + 1}
        return services.set_knobs(event_id=queue.pk, knobs=knobs, by=None, now=now)

    together(MANY, turn)
    steps = QueueChange.objects.order_by("id").values_list("before", "after")
    return all(after == before for (_, after), (before, _) in pairwise(steps))


def test_the_history_of_a_knob_is_a_chain(queue, now):
    assert turn_together(queue, now)


def test_control_without_the_lock_the_history_is_torn(queue, now, unlocked):
    assert not turn_together(queue, now)


def test_an_event_gets_one_queue_however_many_make_it(event, now):
    results = together(MANY, lambda _: services.create_queue(event_id=event.pk, by=None, now=now))

    assert len(winners(results)) == 1
    assert {type(result) for result in results} == {SaleQueue, QueueExists}

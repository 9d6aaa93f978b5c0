"""Operators who act on one queue at the same moment, with and without the row lock."""

from itertools import pairwise
from threading import Barrier

import pytest

from tests.race import together, winners
from waiting_queue import services
from waiting_queue.errors import QueueExists
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.services import notices, queues

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 8


@pytest.fixture
def queue(event, now) -> SaleQueue:
    return SaleQueue.objects.create(event=event, opens_at=now)


@pytest.fixture
def unlocked(monkeypatch):
    """The control: all threads read the queue before any of them writes it, as without a lock."""
    all_have_read = Barrier(MANY)

    def queue_without_lock(event_id: int) -> SaleQueue:
        queue = SaleQueue.objects.get(pk=event_id)
        all_have_read.wait(10)
        return queue

    for module in (queues, notices):
        monkeypatch.setattr(module, "queue_for_update", queue_without_lock)


def history_is_a_chain():
    """Whether each change starts from the value that the one before it left."""
    steps = QueueChange.objects.order_by("id").values_list("before", "after")
    return all(after == before for (_, after), (before, _) in pairwise(steps))


# -- moves ----------------------------------------------------------------------------------------


def open_together(queue, now):
    return together(
        MANY, lambda _: services.move_queue(event_id=queue.pk, to="open", by=None, now=now)
    )


def test_one_of_many_operators_opens_a_queue(queue, now):
    assert len(winners(open_together(queue, now))) == 1
    assert QueueChange.objects.count() == 1


def test_control_without_the_lock_a_queue_is_opened_many_times(queue, now, unlocked):
    assert len(winners(open_together(queue, now))) == MANY


# -- knobs ----------------------------------------------------------------------------------------


def set_knob_together(queue, now):
    def set_knob(number):
        knobs = {"max_inside": number + 1}
        return services.set_knobs(event_id=queue.pk, knobs=knobs, by=None, now=now)

    together(MANY, set_knob)


def test_the_history_of_a_knob_is_a_chain(queue, now):
    set_knob_together(queue, now)

    assert history_is_a_chain()


def test_control_without_the_lock_the_history_of_a_knob_is_broken(queue, now, unlocked):
    set_knob_together(queue, now)

    assert not history_is_a_chain()


# -- notices --------------------------------------------------------------------------------------


def set_notice_together(queue, now):
    def set_notice(number):
        message = f"message {number}"
        return services.set_notice(event_id=queue.pk, message=message, by=None, now=now)

    together(MANY, set_notice)
    assert QueueChange.objects.count() == MANY


def test_the_history_of_messages_is_a_chain(queue, now):
    set_notice_together(queue, now)

    assert history_is_a_chain()


def test_control_without_the_lock_the_history_of_messages_is_broken(queue, now, unlocked):
    set_notice_together(queue, now)

    assert not history_is_a_chain()


# -- creation -------------------------------------------------------------------------------------


def test_an_event_gets_one_queue_however_many_operators_create_it(event, now):
    results = together(MANY, lambda _: services.create_queue(event_id=event.pk, by=None, now=now))

    assert len(winners(results)) == 1
    assert {type(result) for result in results} == {SaleQueue, QueueExists}

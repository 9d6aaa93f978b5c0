"""Operators who act on one queue at the same moment, with and without the row lock."""

from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from threading import Barrier

import pytest
from django.db import transaction

from tests.race import together, wait_unless_blocking, winners
from ticketing.core import redis
from waiting_queue import services, store
from waiting_queue.errors import QueueExists
from waiting_queue.locks import queue_for_update
from waiting_queue.models import QueueChange, SaleQueue
from waiting_queue.services import notices, queues, rebuilds

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
        all_have_read.wait(60)
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


# -- rebuilds -------------------------------------------------------------------------------------


@pytest.fixture
def line(queue, now) -> SaleQueue:
    services.move_queue(event_id=queue.pk, to="open", by=None, now=now)
    for person in range(1, 4):
        services.join(event_id=queue.pk, person=str(person), now=now)
    services.drain_journals()
    return queue


def is_up_while_somebody_has_the_lock(line, now) -> bool:
    """Whether the line works while an operator's rebuild has to wait for the queue's row."""
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            queue_for_update(line.pk)
            rebuilt = threads.submit(together, 1, lambda _: rebuild(line, now, even_whole=True))
            wait_unless_blocking(lambda: False)
            is_up = store.has_meta(line.pk)
        assert rebuilt.result() == [3]
    return is_up


def rebuild(line, now, **more):
    return services.rebuild_queue(event_id=line.pk, now=now, **more)


def test_a_line_is_up_until_its_rebuild_has_the_lock(line, now):
    assert is_up_while_somebody_has_the_lock(line, now)


def test_control_without_the_lock_it_is_down_meanwhile(line, now, monkeypatch):
    monkeypatch.setattr(rebuilds, "_take_down", lambda pk, _: [store.delete_meta(pk)])

    assert not is_up_while_somebody_has_the_lock(line, now)


def test_of_many_who_find_a_line_lost_one_rebuilds_it(line, now):
    redis.queue_client().flushdb()

    results = together(MANY, lambda _: rebuild(line, now))

    assert Counter(results) == {3: 1, None: MANY - 1}
    line.refresh_from_db()
    assert store.epoch_of(line.pk) == line.epoch


def test_control_who_takes_a_whole_line_down_rebuilds_it_again(line, now):
    assert (rebuild(line, now), rebuild(line, now, even_whole=True)) == (None, 3)

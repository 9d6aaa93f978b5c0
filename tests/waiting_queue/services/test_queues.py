"""Queues are moved and tuned by operators and by the clock."""

import pytest

from tests.waiting_queue.services.steps import seconds
from waiting_queue import services, store
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State


def test_a_move_is_recorded_and_reaches_redis(queue, operator, now):
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, why="tonight", now=now)

    change = QueueChange.objects.get(queue=queue)
    assert (change.by, change.before, change.after, change.why) == (
        operator,
        "scheduled",
        "open",
        "tonight",
    )
    assert store.run(store.snapshot(queue.pk))["state"] == "open"


def test_lobby_and_queue_open_at_their_times(queue, now):
    services.tick_open_queues(now=now + seconds(3_600))
    queue.refresh_from_db()
    assert queue.state == State.LOBBY

    services.tick_open_queues(now=now + seconds(7_200))
    queue.refresh_from_db()
    assert queue.state == State.OPEN
    assert QueueChange.objects.filter(queue=queue, by=None).count() == 2


def test_a_queue_that_missed_its_lobby_opens_anyway(queue, now):
    services.tick_open_queues(now=now + seconds(9_999))

    queue.refresh_from_db()
    assert queue.state == State.OPEN


def test_a_knob_works_at_the_next_tick(open_queue, operator, now):
    services.set_knobs(
        event_id=open_queue.pk, knobs={"admit_per_second": 2.0}, by=operator, now=now
    )
    services.tick_open_queues(now=now + seconds(1))

    assert float(store.run(store.snapshot(open_queue.pk))["rate"]) == 2
    change = QueueChange.objects.get(what="admit_per_second")
    assert (change.before, change.after) == ("10.0", "2.0")

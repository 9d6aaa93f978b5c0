"""The journal is copied once, rebuilds a lost line, and is completed when the queue closes."""

import pytest

from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.core import redis
from waiting_queue import errors, selectors, services, store
from waiting_queue.models import QueueJournal, SaleQueue
from waiting_queue.services.rebuilds import MAX_LOST_NUMBERS

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State


def test_what_happens_is_journalled_once(open_queue, now):
    join_all(open_queue, ["1"], now)
    services.leave(event_id=open_queue.pk, person="1", now=now)

    assert services.drain_journals() >= 2
    assert services.drain_journals() == 0
    kinds = list(QueueJournal.objects.filter(person=1).values_list("kind", flat=True))
    assert (kinds[0], kinds[-1]) == ("join", "left")


def test_a_batch_that_is_copied_twice_is_there_once(open_queue, now, monkeypatch):
    """As after a crash between the commit and the deletion from Redis."""
    join_all(open_queue, ["1"], now)
    monkeypatch.setattr(store, "delete_journal_entries", lambda event_id, entries: None)
    services.drain_journals(batches=1)
    services.drain_journals(batches=1)

    assert QueueJournal.objects.filter(person=1, kind="join").count() == 1


def test_a_lost_line_is_rebuilt_in_order(open_queue, operator, now):
    services.move_queue(event_id=open_queue.pk, to=State.PAUSED, by=operator, now=now)
    join_all(open_queue, ["5", "3", "9", "1"], now)
    services.move_queue(event_id=open_queue.pk, to=State.OPEN, by=operator, now=now)
    services.set_knobs(event_id=open_queue.pk, knobs={"max_inside": 2}, by=operator, now=now)
    services.tick_open_queues(now=now + seconds(1))
    services.claim(event_id=open_queue.pk, person="5", now=now + seconds(1))
    services.drain_journals()
    redis.queue_client().flushdb()

    with pytest.raises(errors.QueueUnavailable):
        services.join(event_id=open_queue.pk, person="7", now=now + seconds(2))
    services.tick_open_queues(now=now + seconds(2))  # rebuilds the lost line

    found = {p: store.run(store.peek(open_queue.pk, p, now + seconds(3))) for p in "5391"}
    assert {p: (s.state, s.number) for p, s in found.items()} == {
        "5": ("admitted", 1),
        "3": ("ready", 2),
        "9": ("waiting", 3),
        "1": ("waiting", 4),
    }
    joined = services.join(event_id=open_queue.pk, person="7", now=now + seconds(3))
    assert (joined.number, joined.ahead) == (5 + MAX_LOST_NUMBERS, 2)


def test_a_rebuild_restores_the_counts(queue, operator, now):
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, ["1", "2"], now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now + seconds(1))  # draws
    join_all(queue, ["3"], now + seconds(1))
    services.tick_open_queues(now=now + seconds(2))
    services.claim(event_id=queue.pk, person="1", now=now + seconds(2))
    services.complete(event_id=queue.pk, person="1", now=now + seconds(2))
    services.leave(event_id=queue.pk, person="3", now=now + seconds(2))
    before = selectors.overview(queue, now=now + seconds(2))
    services.drain_journals()

    services.rebuild_queue_on_request(event_id=queue.pk, by=operator, now=now + seconds(3))

    after = selectors.overview(queue, now=now + seconds(3))
    names = ("joined", "admitted", "completed", "left", "expired", "blocked")
    counts = {name: getattr(after, name) for name in names}
    assert counts == {name: getattr(before, name) for name in names}
    assert (counts["joined"], counts["admitted"], counts["left"]) == (3, 1, 1)


def test_a_closed_queue_leaves_nothing_in_redis(open_queue, operator, now):
    join_all(open_queue, ["1", "2"], now)
    services.move_queue(event_id=open_queue.pk, to=State.CLOSED, by=operator, now=now)

    services.tick_open_queues(now=now + seconds(1))

    assert list(redis.queue_client().scan_iter(f"queue:{{{open_queue.pk}}}:*")) == []
    assert QueueJournal.objects.filter(event_id=open_queue.pk, kind="join").count() == 2


def test_everybody_still_there_at_the_closing_gets_one_closing_entry(open_queue, operator, now):
    join_all(open_queue, ["1", "2", "3"], now)
    services.leave(event_id=open_queue.pk, person="2", now=now)
    services.move_queue(event_id=open_queue.pk, to=State.CLOSED, by=operator, now=now)

    services.tick_open_queues(now=now + seconds(1))
    services.tick_open_queues(now=now + seconds(2))

    closed = QueueJournal.objects.filter(event_id=open_queue.pk, kind="closed")
    assert sorted(closed.values_list("person", flat=True)) == [1, 3]

"""Queues open, tick, draw, survive and close."""

from datetime import timedelta

import pytest

from tests.making import make_event
from ticketing.core import redis
from waiting_queue import errors, services, store
from waiting_queue.models import QueueChange, QueueDraw, QueueJournal, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def join_all(queue, people, now):
    return [services.join(event_id=queue.pk, person=person, now=now) for person in people]


# -- moves ----------------------------------------------------------------------------------------


def test_a_move_is_noted_and_reaches_redis(queue, operator, now):
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


# -- fans -----------------------------------------------------------------------------------------


def test_a_fan_walks_through(open_queue, now):
    services.move_queue(event_id=open_queue.pk, to=State.PAUSED, by=None, now=now)
    join_all(open_queue, ["1", "2"], now)
    services.move_queue(event_id=open_queue.pk, to=State.OPEN, by=None, now=now)
    services.tick_open_queues(now=now + seconds(1))

    services.claim(event_id=open_queue.pk, person="1", now=now + seconds(2))
    inside = services.require_admission(event_id=open_queue.pk, person="1", now=now + seconds(3))
    services.complete(event_id=open_queue.pk, person="1", now=now + seconds(4))

    assert inside.number == 1
    with pytest.raises(errors.NotAdmitted):
        services.require_admission(event_id=open_queue.pk, person="1", now=now + seconds(5))


def test_joining_costs_no_sql(open_queue, now, django_assert_num_queries):
    with django_assert_num_queries(0):
        services.join(event_id=open_queue.pk, person="1", now=now)
        services.standing(event_id=open_queue.pk, person="1", now=now)
        services.leave(event_id=open_queue.pk, person="1", now=now)


def test_a_person_stands_in_one_line_only(open_queue, operator, now):
    other = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    services.move_queue(event_id=other.pk, to=State.OPEN, by=operator, now=now)
    join_all(open_queue, ["1"], now)

    with pytest.raises(errors.InAnotherLine) as refusal:
        services.join(event_id=other.pk, person="1", now=now + seconds(1))

    assert refusal.value.details == {"events": [open_queue.pk]}
    assert store.run(store.peek(other.pk, "1", now)).state == "left"


def test_who_left_one_line_may_join_another(open_queue, operator, now):
    other = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    services.move_queue(event_id=other.pk, to=State.OPEN, by=operator, now=now)
    join_all(open_queue, ["1"], now)
    store.run(store.leave(open_queue.pk, "1", now))  # as an absence does: the note stays behind

    joined = services.join(event_id=other.pk, person="1", now=now + seconds(11))

    assert joined.state in {"waiting", "admitted"}


# -- the draw -------------------------------------------------------------------------------------


@pytest.fixture
def drawn(queue, operator, now) -> SaleQueue:
    """Ten people gathered in the lobby, then the queue opened."""
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, [str(number) for number in range(10)], now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    late = services.join(event_id=queue.pk, person="99", now=now)
    assert late.number == 11
    services.tick_open_queues(now=now)
    return SaleQueue.objects.get(pk=queue.pk)


def test_everybody_in_the_lobby_gets_a_number_and_the_latecomer_is_behind(drawn, now):
    numbers = {store.run(store.peek(drawn.pk, str(person), now)).number for person in range(10)}

    assert numbers == set(range(1, 11))


def test_the_draw_can_be_checked_by_anyone(drawn):
    public = services.published_draw(drawn)

    assert services.seed_hash(public["seed"]) == public["seed_sha256"]
    assert services.drawn_order(public["seed"], sorted(public["entries"])) == public["entries"]


def test_the_seed_is_secret_until_the_draw_is_over(queue):
    public = services.published_draw(queue)

    assert public["seed"] is None
    assert queue.seed not in str(public)


def test_a_draw_that_was_interrupted_goes_on_as_it_began(drawn, now):
    """As after a crash halfway: the list is kept, some have numbers, the draw is not finished."""
    order = QueueDraw.objects.get().people
    QueueDraw.objects.update(finished_at=None)

    services.draw_lobby(event_id=drawn.pk, now=now)

    numbers = [store.run(store.peek(drawn.pk, person, now)).number for person in order]
    assert numbers == list(range(1, 11))


def test_without_a_lot_the_lobby_keeps_its_order(queue, operator, now):
    SaleQueue.objects.update(shuffle_lobby=False)
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    for number in range(5):
        services.join(event_id=queue.pk, person=str(number), now=now + seconds(number))
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now)

    assert QueueDraw.objects.get().people == ["0", "1", "2", "3", "4"]


# -- the journal ----------------------------------------------------------------------------------


def test_what_happens_is_journalled_once(open_queue, now):
    join_all(open_queue, ["1"], now)
    services.leave(event_id=open_queue.pk, person="1", now=now)

    assert services.drain_journals() >= 2
    assert services.drain_journals() == 0
    kinds = list(QueueJournal.objects.filter(person=1).values_list("kind", flat=True))
    assert (kinds[0], kinds[-1]) == ("join", "left")


def test_a_batch_that_is_copied_twice_is_there_once(open_queue, now, monkeypatch):
    """As after a crash between the commit and forgetting."""
    join_all(open_queue, ["1"], now)
    monkeypatch.setattr(store, "delete_journal_entries", lambda event_id, entries: None)
    services.drain_journals(batches=1)
    services.drain_journals(batches=1)

    assert QueueJournal.objects.filter(person=1, kind="join").count() == 1


def test_a_lost_redis_gets_everybody_back_in_order(open_queue, operator, now):
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
    services.tick_open_queues(now=now + seconds(2))  # finds it lost, and rebuilds it

    found = {p: store.run(store.peek(open_queue.pk, p, now + seconds(3))) for p in "5391"}
    assert {p: (s.state, s.number) for p, s in found.items()} == {
        "5": ("admitted", 1),
        "3": ("ready", 2),
        "9": ("waiting", 3),
        "1": ("waiting", 4),
    }
    assert services.join(event_id=open_queue.pk, person="7", now=now + seconds(3)).number == 5


def test_a_lost_redis_gets_its_counts_back(queue, operator, now):
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, ["1", "2"], now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now + seconds(1))  # draws
    join_all(queue, ["3"], now + seconds(1))
    services.tick_open_queues(now=now + seconds(2))
    services.claim(event_id=queue.pk, person="1", now=now + seconds(2))
    services.complete(event_id=queue.pk, person="1", now=now + seconds(2))
    services.leave(event_id=queue.pk, person="3", now=now + seconds(2))
    before = services.overview(queue, now=now + seconds(2))
    services.drain_journals()

    services.restore_line(event_id=queue.pk, by=operator, now=now + seconds(3))

    after = services.overview(queue, now=now + seconds(3))
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


def test_who_was_still_there_when_it_closed_is_sent_home_once(open_queue, operator, now):
    join_all(open_queue, ["1", "2", "3"], now)
    services.leave(event_id=open_queue.pk, person="2", now=now)
    services.move_queue(event_id=open_queue.pk, to=State.CLOSED, by=operator, now=now)

    services.tick_open_queues(now=now + seconds(1))
    services.tick_open_queues(now=now + seconds(2))

    closed = QueueJournal.objects.filter(event_id=open_queue.pk, kind="closed")
    assert sorted(closed.values_list("person", flat=True)) == [1, 3]

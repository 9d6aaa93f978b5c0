"""Killed workers, a Redis that loses data, an event whose tick fails: nobody loses their place."""

import random
import signal
from collections import Counter
from datetime import datetime, timedelta

import pytest

from tests.making import make_event
from tests.soak import SOAK
from tests.waiting_queue.killed_worker import run_until_killed
from tests.waiting_queue.own_valkey import start_again
from ticketing.core import redis
from waiting_queue import errors, keys, selectors, services, store
from waiting_queue.models import QueueDraw, QueueJournal, SaleQueue

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.soak(scales=True)]
State = SaleQueue.State
PEOPLE = [str(number) for number in range(1, 251)]
KILLED = -signal.SIGKILL
KILLS = 2 * SOAK


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


def join_all(queue: SaleQueue, now: datetime) -> None:
    store.run_all([store.join(queue.pk, person, now) for person in PEOPLE])


@pytest.fixture
def busy(queue, operator, now) -> SaleQueue:
    """An open queue in which 250 people wait and nobody was called yet."""
    for state in (State.OPEN, State.PAUSED):
        services.move_queue(event_id=queue.pk, to=state, by=operator, now=now)
    join_all(queue, now)
    return services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)


def standings(queue: SaleQueue, now: datetime) -> dict[str, tuple[str, int]]:
    looks = store.run_each([store.peek(queue.pk, person, now) for person in PEOPLE])
    return {p: (found.state, found.number) for p, found in zip(PEOPLE, looks, strict=True)}


def everybody_is_in_one_set(queue: SaleQueue) -> bool:
    client = redis.queue_client()
    names = ("lobby", "line", "ready", "inside")
    people = [p for name in names for p in client.zrange(keys.key(queue.pk, name), 0, -1)]
    return sorted(people, key=int) == PEOPLE


# -- killed workers -------------------------------------------------------------------------------


def test_the_next_tick_makes_up_for_one_that_was_killed(busy, now):
    services.tick_open_queues(now=now)
    work = {"job": "tick", "event_id": busy.pk, "now": (now + seconds(1)).isoformat()}

    assert run_until_killed(**work, step="run_each", after=True) == KILLED
    called = services.tick_open_queues(now=now + seconds(2))[busy.pk].called

    assert called == PEOPLE[10:20]  # the killed one had called the first ten
    assert everybody_is_in_one_set(busy)


@pytest.mark.parametrize("after", [False, True])
def test_a_killed_drain_repeats_and_loses_no_entry(busy, now, after):
    work = {"job": "drain", "event_id": busy.pk, "now": now.isoformat()}

    assert run_until_killed(**work, step="delete_journal_entries", nth=2, after=after) == KILLED
    services.drain_journals()

    people = QueueJournal.objects.filter(kind="join").values_list("person", flat=True)
    assert [str(person) for person in people.order_by("number")] == PEOPLE


@pytest.mark.parametrize(
    ("step", "nth"), [("configure", 1), ("lobby_people", 1), ("draw", 2), ("configure", 2)]
)
def test_a_killed_draw_is_finished_in_the_same_order(queue, operator, now, step, nth):
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    join_all(queue, now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    work = {"job": "draw", "event_id": queue.pk, "now": now.isoformat()}

    assert run_until_killed(**work, step=step, nth=nth, after=True) == KILLED
    late = services.join(event_id=queue.pk, person="999", now=now)
    services.tick_open_queues(now=now)

    draw = QueueDraw.objects.select_related("queue").get()
    order_drawn = draw.people
    checks = selectors.draw_checks(selectors.published_draw(draw.queue))
    assert all(check.passed for check in checks)
    numbers = standings(queue, now)
    assert [numbers[person] for person in order_drawn] == [
        ("waiting", number) for number in range(1, 251)
    ]
    assert late.number == 251


@pytest.mark.parametrize("step", ["delete_meta", "erase", "restore", "configure"])
def test_a_killed_rebuild_is_done_again(busy, now, step):
    services.tick_open_queues(now=now + seconds(1))
    before = standings(busy, now)
    work = {"job": "rebuild", "event_id": busy.pk, "now": (now + seconds(2)).isoformat()}

    assert run_until_killed(**work, step=step, after=True) == KILLED
    services.tick_open_queues(now=now + seconds(2))

    assert standings(busy, now + seconds(2)) == before
    assert everybody_is_in_one_set(busy)


def test_killed_at_any_moment_nobody_is_lost_and_nobody_is_called_twice(busy, now):
    """The worker is killed at random moments, one after the other."""
    random_seconds = random.Random(7)
    services.set_knobs(event_id=busy.pk, knobs={"claim_seconds": 3_600}, by=None, now=now)
    for kill in range(KILLS):
        work = {"job": "everything", "event_id": busy.pk}
        work |= {"now": (now + seconds(100 * kill)).isoformat()}
        assert run_until_killed(**work, kill_after=random_seconds.uniform(0.005, 0.15)) == KILLED
    services.drain_journals()

    kinds = QueueJournal.objects.exclude(kind="expired").values_list("person", "kind")
    assert set(Counter(kinds).values()) == {1}
    assert everybody_is_in_one_set(busy)
    assert [number for _, number in standings(busy, now).values()] == list(range(1, 251))


# -- one broken event -----------------------------------------------------------------------------


def test_an_event_whose_tick_fails_stops_nobody_else(busy, operator, now):
    broken = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    services.move_queue(event_id=broken.pk, to=State.OPEN, by=operator, now=now)
    client = redis.queue_client()
    client.set(keys.key(broken.pk, "seen"), "not a sorted set")

    ticked = services.tick_open_queues(now=now + seconds(1))

    assert broken.pk not in ticked
    assert ticked[busy.pk].called == PEOPLE[:10]


# -- Redis loses data -----------------------------------------------------------------------------


def test_scripts_that_redis_lost_are_loaded_again(busy, now):
    redis.queue_client().script_flush()

    assert services.tick_open_queues(now=now + seconds(1))[busy.pk].called == PEOPLE[:10]
    redis.queue_client().script_flush()
    assert services.claim(event_id=busy.pk, person="1", now=now + seconds(2)).state == "admitted"


def test_a_redis_that_was_emptied_is_rebuilt_by_the_next_tick(busy, now):
    services.tick_open_queues(now=now + seconds(1))
    services.drain_journals()
    before = standings(busy, now)
    redis.queue_client().flushdb()

    with pytest.raises(errors.QueueUnavailable):
        services.standing(event_id=busy.pk, person="1", now=now)
    services.tick_open_queues(now=now + seconds(2))

    assert standings(busy, now + seconds(2)) == before
    assert store.run(store.add_membership(0, "1", now)).keys() == {busy.pk, 0}


def test_a_redis_that_was_killed_comes_back_with_the_line(own_valkey, queue, operator, now):
    for state in (State.OPEN, State.PAUSED):
        services.move_queue(event_id=queue.pk, to=state, by=operator, now=now)
    join_all(queue, now)
    start_again(own_valkey)

    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.tick_open_queues(now=now + seconds(1))  # rebuilds the line
    ticked = services.tick_open_queues(now=now + seconds(2))[queue.pk]

    assert not ticked.lost
    assert ticked.called == PEOPLE[:10]
    assert everybody_is_in_one_set(queue)

"""The same line on a Redis Cluster of three: every engine test again, and what crosses slots."""

import asyncio
from datetime import timedelta

import pytest
from django.conf import settings
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import RedisClusterException

from tests.making import make_event
from tests.race import together, winners
from tests.waiting_queue.cluster import Cluster
from tests.waiting_queue.test_engine import *  # noqa: F403
from ticketing.core import redis
from waiting_queue import errors, keys, services, store
from waiting_queue.models import QueueJournal, SaleQueue

State = SaleQueue.State
EVENTS = 4


def seconds(number: float) -> timedelta:
    return timedelta(seconds=number)


@pytest.fixture(scope="module")
def cluster():
    cluster = Cluster()
    cluster.start()
    yield cluster
    cluster.stop()


@pytest.fixture(autouse=True)
def queue_on_a_cluster(cluster, monkeypatch):
    """The queue's Redis is the cluster; everything else stays where it is."""
    monkeypatch.setattr(settings, "QUEUE_REDIS_URL", cluster.url)
    redis.queue_client.cache_clear()
    cluster.flush()
    yield
    redis.queue_client().close()
    redis.queue_client.cache_clear()


@pytest.fixture
def open_queues(operator, now) -> list[SaleQueue]:
    """Several events, whose keys are on several nodes."""
    made = [SaleQueue.objects.create(event=make_event(now), opens_at=now) for _ in range(EVENTS)]
    return [
        services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
        for queue in made
    ]


def test_the_keys_of_events_are_spread_and_those_of_one_are_together():
    slots = [{redis.queue_client().keyslot(k) for k in keys.of_event(n)} for n in range(1, 20)]

    assert all(len(of_one) == 1 for of_one in slots)
    assert len(set.union(*slots)) > 1


@pytest.mark.django_db(transaction=True)
def test_all_events_tick_and_are_journalled(open_queues, now):
    for queue in open_queues:
        services.move_queue(event_id=queue.pk, to=State.PAUSED, by=None, now=now)
        for person in ("1", "2"):
            store.run(store.join(queue.pk, person, now))
        services.move_queue(event_id=queue.pk, to=State.OPEN, by=None, now=now)

    ticked = services.tick_open_queues(now=now + seconds(1))
    services.drain_journals()

    assert {pk: answer.called for pk, answer in ticked.items()} == {
        queue.pk: ["1", "2"] for queue in open_queues
    }
    assert QueueJournal.objects.filter(kind="ready").count() == 2 * EVENTS


@pytest.mark.django_db(transaction=True)
def test_one_person_in_many_lines_at_once_stands_in_one(open_queues, now):
    """Noting and joining are trips to different nodes."""
    for person in map(str, range(1, 11)):
        results = together(
            2 * EVENTS,
            lambda n, person=person: services.join(
                event_id=open_queues[n % EVENTS].pk, person=person, now=now
            ),
        )
        states = [store.run(store.peek(q.pk, person, now)).state for q in open_queues]
        assert len([state for state in states if state in {"waiting", "admitted"}]) == 1
        assert {type(r) for r in results if isinstance(r, Exception)} <= {errors.InAnotherLine}
        assert winners(results)


@pytest.mark.django_db(transaction=True)
def test_a_lobby_is_drawn(queue, operator, now):
    services.move_queue(event_id=queue.pk, to=State.LOBBY, by=operator, now=now)
    for person in map(str, range(1, 51)):
        services.join(event_id=queue.pk, person=person, now=now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)

    services.tick_open_queues(now=now)

    line = redis.queue_client().zrange(keys.key(queue.pk, "line"), 0, -1, withscores=True)
    assert [int(number) for _, number in line] == list(range(1, 51))


@pytest.mark.django_db(transaction=True)
def test_a_lost_cluster_is_rebuilt(open_queues, cluster, now):
    people = {queue.pk: str(100 + queue.pk) for queue in open_queues}
    numbers = {
        pk: services.join(event_id=pk, person=person, now=now).number
        for pk, person in people.items()
    }
    services.drain_journals()
    cluster.flush()

    services.tick_open_queues(now=now + seconds(1))

    found = {
        pk: store.run(store.peek(pk, person, now + seconds(1))).number
        for pk, person in people.items()
    }
    assert found == numbers


@pytest.mark.django_db(transaction=True)
def test_a_closed_queue_leaves_nothing_on_any_node(open_queues, operator, now):
    for queue in open_queues:
        services.join(event_id=queue.pk, person=str(queue.pk), now=now)
        services.move_queue(event_id=queue.pk, to=State.CLOSED, by=operator, now=now)

    services.tick_open_queues(now=now + seconds(1))

    client = redis.queue_client()
    assert sum(client.exists(*keys.of_event(queue.pk)) for queue in open_queues) == 0


@pytest.mark.django_db(transaction=True)
def test_coroutines_walk_through_it_too(open_queues, now):
    event_id = open_queues[0].pk

    async def walk() -> list[str]:
        joined = await services.ajoin(event_id=event_id, person="1", now=now)
        seen = await services.astanding(event_id=event_id, person="1", now=now)
        with pytest.raises(errors.NotYourTurn):
            await services.aclaim(event_id=event_id, person="1", now=now)
        with pytest.raises(errors.InAnotherLine):
            await services.ajoin(event_id=open_queues[1].pk, person="1", now=now + seconds(20))
        left = await services.aleave(event_id=event_id, person="1", now=now)
        await redis.close_async_clients()
        return [joined.state, seen.state, left]

    assert asyncio.run(walk()) == ["waiting"] * 3


async def set_a_key() -> bool:
    try:
        return bool(await redis.async_queue_client().call("SET", "key", "1"))
    finally:
        await redis.close_async_clients()


def test_a_node_that_is_down_at_the_start_does_not_matter(cluster, monkeypatch):
    down = "redis+cluster://127.0.0.1:1"
    monkeypatch.setattr(settings, "QUEUE_REDIS_URL", f"{down},127.0.0.1:{cluster.ports[1]}")
    redis.queue_client.cache_clear()

    assert redis.queue_client().set("key", "1")
    assert asyncio.run(set_a_key())

    with monkeypatch.context() as control:
        control.setattr(settings, "QUEUE_REDIS_URL", down)
        with pytest.raises(NoConnection):
            asyncio.run(set_a_key())


def test_a_cluster_that_is_away_fails_each_call_for_itself(monkeypatch):
    """redis-py raises this when no node can be reached any more; it is no `RedisError`."""
    outage = RedisClusterException("Redis Cluster cannot be connected")

    def refuse(*arguments: object, **options: object) -> None:
        raise outage

    monkeypatch.setattr(redis.queue_client(), "execute_command", refuse)

    assert store.run_each([store.snapshot(1), store.snapshot(2)]) == [outage, outage]

"""The push engine itself: topics, background tasks, fairness and shutdown, without any app."""

import asyncio
import json

import pytest

from ticketing.core.live import hub as live
from ticketing.core.live import subscriber as subscribers
from ticketing.core.live.hub import Hub, Topic, listen, say_goodbye
from ticketing.core.live.shutdown import LEAST_SPREAD_SECONDS, ask_to_reconnect
from ticketing.core.live.subscriber import Subscriber, in_batches


class Client:
    """A connection that keeps what it is sent."""

    def __init__(self):
        self.frames, self.closed = [], 0
        self.subscriber = Subscriber(self)

    async def send_text(self, text):
        self.frames.append(text)

    def close_soon(self):
        self.closed += 1

    abort = close_soon


class PlainTopic(Topic[Subscriber]):
    def __init__(self, key):
        super().__init__(key)
        self.task = asyncio.create_task(asyncio.Event().wait())


class PlainHub(Hub[PlainTopic]):
    topic_class = PlainTopic

    def background_work(self):
        return [asyncio.Event().wait()]


class PatientHub(PlainHub):
    idle_seconds = 60.0


@pytest.fixture(autouse=True)
async def no_task_is_left():
    yield
    for hub in (PlainHub.current(), PatientHub.current()):
        await hub.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_each_event_loop_has_one_hub_of_each_kind():
    async def hub_elsewhere():
        return PlainHub.current()

    other_loop = await asyncio.to_thread(asyncio.run, hub_elsewhere())

    assert PlainHub.current() is PlainHub.current()
    assert PlainHub.current() is not PatientHub.current()
    assert PlainHub.current() is not other_loop


async def test_background_work_starts_with_the_first_topic():
    hub = PlainHub.current()
    assert len(asyncio.all_tasks()) == 1

    hub.topic(7)
    hub.topic(8)

    assert len(hub._tasks) == 1
    assert len(asyncio.all_tasks()) == 1 + 1 + 2  # this test, the hub, two topics


async def test_subscribers_of_a_topic_are_pushed_to_and_others_are_not():
    hub, here, there = PlainHub.current(), Client(), Client()
    hub.subscribe(7, here.subscriber)
    hub.subscribe(8, there.subscriber)

    await hub.topics[7].push_all("seats", "text")

    assert (here.frames, there.frames) == (["text"], [])


async def test_a_topic_is_dropped_with_its_task_when_the_last_subscriber_leaves():
    hub, one, two = PlainHub.current(), Client(), Client()
    for client in (one, two):
        hub.subscribe(7, client.subscriber)
    task = hub.topics[7].task

    hub.unsubscribe(7, one.subscriber)
    kept = dict(hub.topics)
    hub.unsubscribe(7, two.subscriber)
    hub.unsubscribe(7, two.subscriber)

    assert (list(kept), hub.topics) == ([7], {})
    assert task.cancelling()


async def test_a_hub_that_keeps_idle_topics_drops_them_later():
    hub, client = PatientHub.current(), Client()
    hub.subscribe(7, client.subscriber)
    hub.unsubscribe(7, client.subscriber)
    left_at = hub.topics[7].used_at

    hub.drop_idle_topics(left_at + 59)
    assert 7 in hub.topics
    hub.drop_idle_topics(left_at + 60)

    assert hub.topics == {}


async def test_a_closed_hub_starts_afresh():
    hub, client = PlainHub.current(), Client()
    hub.subscribe(7, client.subscriber)
    await hub.close()
    assert asyncio.all_tasks() == {asyncio.current_task()}

    hub.subscribe(7, client.subscriber)
    await hub.topics[7].push_all("seats", "text")

    assert client.frames == ["text"]
    assert len(hub._tasks) == 1


async def test_others_run_between_two_batches(monkeypatch):
    monkeypatch.setattr(subscribers, "BATCH", 2)
    seen, turns = [], []
    asyncio.get_running_loop().call_soon(turns.append, "other")

    async for batch in in_batches(range(5)):
        seen.append((batch, list(turns)))

    assert seen == [([0, 1], []), ([2, 3], ["other"]), ([4], ["other"])]


async def test_a_subscriber_that_leaves_during_a_push_harms_nobody():
    hub, clients = PlainHub.current(), [Client() for _ in range(3)]

    class Leaving(Client):
        async def send_text(self, text):
            hub.unsubscribe(7, self.subscriber)

    for client in [Leaving(), *clients]:
        hub.subscribe(7, client.subscriber)

    await hub.topics[7].push_all("seats", "text")

    assert [client.frames for client in clients] == [["text"]] * 3
    assert len(hub.topics[7].subscribers) == 3


async def test_on_shutdown_the_clients_of_all_hubs_are_asked_to_reconnect():
    one, two = Client(), Client()
    PlainHub.current().subscribe(7, one.subscriber)
    PatientHub.current().subscribe(7, two.subscriber)

    await say_goodbye()

    frames = [json.loads(frame) for client in (one, two) for frame in client.frames]
    assert [frame["type"] for frame in frames] == ["reconnect"] * 2
    assert (one.closed, two.closed) == (1, 1)
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_reconnects_are_spread_and_more_so_for_many_clients():
    few, many = [Client() for _ in range(100)], [Client() for _ in range(4_000)]
    for clients in (few, many):
        await ask_to_reconnect([client.subscriber for client in clients])

    delays = [[json.loads(client.frames[0])["after_ms"] for client in all] for all in (few, many)]
    assert max(delays[0]) <= 1000 * LEAST_SPREAD_SECONDS
    assert 8_000 < max(delays[1]) <= 10_000
    assert len(set(delays[0])) > 50


async def test_listening_goes_on_after_an_outage(monkeypatch):
    monkeypatch.setattr(live, "RETRY_SECONDS", 0)
    attempts, received, done = iter([["a"], ["b", "c"]]), [], asyncio.Event()

    async def messages():
        for message in next(attempts, []):
            yield message
        raise ConnectionError("down")

    async def handle(message):
        received.append(message)
        if message == "c":
            done.set()

    listening = asyncio.create_task(listen(messages, handle))
    await asyncio.wait_for(done.wait(), 60)
    listening.cancel()
    await asyncio.gather(listening, return_exceptions=True)

    assert received == ["a", "b", "c"]

"""The queue's hub: it receives every tick message, keeps places, and recovers by itself."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from django.conf import settings

from tests.waiting_queue.line import START
from tests.waiting_queue.live.open_pages import OpenPage, line_of, message, opened, receives
from ticketing.core import redis
from ticketing.core.live import hub as core_hub
from ticketing.core.live import shutdown
from waiting_queue import errors, keys, store
from waiting_queue.live import hub as live
from waiting_queue.live.hub import QueueHub, send_heartbeats
from waiting_queue.tokens import QueueToken

pytestmark = pytest.mark.usefixtures("no_server")


async def until(true: Callable[[], Any], seconds: float = 60) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        await asyncio.sleep(0.01)


def subscribed() -> list[dict[str, str]]:
    """The subscribed connections of this test's own Redis number."""
    clients = redis.client().client_list(_type="pubsub")
    return [one for one in clients if one["db"] == str(redis.database()) and one["sub"] == "1"]


@pytest.fixture
def listeners() -> Callable[[], list[dict[str, str]]]:
    """Subscribed since the test began: other hubs of this process may listen, too."""
    before = {one["id"] for one in subscribed()}
    return lambda: [one for one in subscribed() if one["id"] not in before]


async def until_it_listens() -> None:
    channel = keys.tick_channel(redis.database())
    await until(lambda: redis.client().pubsub_numsub(channel)[0][1] == 1)


async def test_a_tick_message_is_received_and_pushed():
    line = line_of([1, 2])
    page = await opened(line, "2")
    await until_it_listens()

    line.leave("1")
    store.publish_tick_messages([message(line)])

    await until(lambda: [frame for frame in page.frames if frame.get("ahead") == 0])


async def test_a_page_gets_its_standing_first_then_the_outlook_and_the_notice():
    line = line_of([1, 2])
    outlook = {"sold_out": True, "grades": []}
    store.publish_tick_messages([replace(message(line), notice="late", outlook=outlook)])

    page = await opened(line, "2")

    kinds = [frame["type"] for frame in page.frames]
    assert kinds == ["standing", "outlook", "notice"]
    assert page.last()["ahead"] == 1
    assert page.last("outlook")["sold_out"] is True
    assert page.last("notice")["message"] == "late"


async def test_a_page_without_a_line_is_not_subscribed():
    line = line_of([1])
    store.delete_meta(7)

    with pytest.raises(errors.QueueUnavailable):
        await opened(line, "1")

    assert QueueHub.current().topics[7].people == {}


async def test_messages_of_events_without_pages_here_are_not_parsed():
    line = line_of([1])
    await opened(line, "1")

    await QueueHub.current().receive("8 this is no message")

    assert list(QueueHub.current().topics) == [7]


async def test_a_first_standing_older_than_a_pushed_one_is_not_sent():
    """The page subscribes before its standing is there; that is the older of the two."""
    line = line_of([1, 2])
    await opened(line, "1")
    found, pushed = line.peek("2"), asyncio.Event()

    async def slow_answer() -> store.Standing:
        await pushed.wait()
        return found

    page = OpenPage("2")
    hub = QueueHub.current()
    opening = asyncio.create_task(
        hub.open_subscription(7, page.subscriber, slow_answer(), line.now)
    )
    await asyncio.sleep(0)
    line.leave("2")
    topic = hub.topic(7)
    topic.receive(message(line))
    await topic.task
    pushed.set()
    await opening

    assert [frame["state"] for frame in page.pop_frames()] == ["LEFT"]


async def test_whoever_joins_while_all_are_looked_up_is_told_with_the_next_message():
    """The page subscribes, everybody is looked up, and only then its person joins."""
    line = line_of([1])
    page, hub, pushed = OpenPage("2"), QueueHub.current(), asyncio.Event()

    async def slow_join() -> store.Standing:
        await pushed.wait()
        line.join("2")
        return line.peek("2")

    opening = asyncio.create_task(hub.open_subscription(7, page.subscriber, slow_join(), line.now))
    await asyncio.sleep(0)
    topic = hub.topic(7)
    await receives(topic, message(line))
    pushed.set()
    await opening
    await receives(topic, message(line))

    assert [frame["state"] for frame in page.pop_frames()] == ["NONE", "WAITING"]


@pytest.mark.parametrize(("epoch", "is_lost"), [("e2", True), ("e1", False)])
async def test_a_page_whose_place_was_lost_with_redis_connects_again(epoch, is_lost):
    """With its token, which restores the place; whoever left is told so, as in the same epoch."""
    page = await opened(line_of([1, 2]), "2")
    page.frames.clear()
    store.erase(7)
    line = line_of([1], epoch=epoch)

    topic = QueueHub.current().topic(7)
    topic.receive(message(line))
    await topic.task

    assert bool(page.pop_frames("reconnect")) == bool(page.closed) == is_lost
    assert [frame["state"] for frame in page.pop_frames()] == ([] if is_lost else ["NONE"])


# -- outages --------------------------------------------------------------------------------------


async def test_a_connection_that_is_cut_is_made_again(monkeypatch, listeners):
    monkeypatch.setattr(core_hub, "RETRY_SECONDS", 0.05)
    line = line_of([1, 2])
    page = await opened(line, "2")
    await until_it_listens()
    (before,) = listeners()

    redis.client().client_kill_filter(_id=before["id"])
    await until(lambda: [one["id"] for one in listeners()] not in ([], [before["id"]]))
    line.leave("1")
    store.publish_tick_messages([message(line)])

    await until(lambda: [frame for frame in page.frames if frame.get("ahead") == 0])


async def test_after_a_cut_the_line_is_read_again_even_if_no_turn_seems_missing(
    asked, monkeypatch, listeners
):
    """A Redis that was restored from a moment ago counts some turns twice."""
    monkeypatch.setattr(core_hub, "RETRY_SECONDS", 0.05)
    line = line_of([1, 2, 3])
    page = await opened(line, "3")
    await until_it_listens()
    before = message(line)
    store.publish_tick_messages([before])
    await until(lambda: QueueHub.current().topics[7].message)
    (listener,) = listeners()

    redis.client().client_kill_filter(_id=listener["id"])
    line.leave("1")
    message(line)  # has this change, and nobody receives it
    await until(lambda: [one["id"] for one in listeners()] not in ([], [listener["id"]]))
    asked.clear()
    store.publish_tick_messages([replace(message(line), turn=before.turn + 1)])

    await until(lambda: [frame for frame in page.frames if frame.get("ahead") == 1])
    assert asked == ["ZRANGE"]


async def test_heartbeats_that_could_not_be_saved_are_saved_later(monkeypatch):
    line = line_of([1, 2])
    topic = QueueHub.current().topic(7)
    topic.polled.add("1")
    real, now = store.aheartbeat_all, line.wait(5).now

    async def down(*_: object) -> None:
        raise ConnectionError("down")

    monkeypatch.setattr(store, "aheartbeat_all", down)
    with pytest.raises(ConnectionError):
        await send_heartbeats(topic, topic.heartbeat_at, now)
    monkeypatch.setattr(store, "aheartbeat_all", real)
    await send_heartbeats(topic, topic.heartbeat_at, now)

    assert redis.client().zscore(keys.key(7, "seen"), "1") == store.ms(now)


async def test_unknown_fields_of_another_release_are_ignored():
    line = line_of([1, 2])
    page = await opened(line, "2")
    line.leave("1")

    text = message(line).to_text()
    await QueueHub.current().receive(text.replace("{", '{"new":1,', 1))
    await QueueHub.current().topics[7].task

    assert page.last()["ahead"] == 0


# -- signs of life --------------------------------------------------------------------------------


def seen(person: str) -> int:
    return int(redis.client().zscore(keys.key(7, "seen"), person) or 0)


async def test_open_pages_and_polls_are_signs_of_life_in_one_batch(asked):
    line = line_of(range(1, 301))
    for person in range(1, 301):
        await opened(line, str(person))
    topic = QueueHub.current().topics[7]
    later = START + timedelta(seconds=60)
    due = settings.HEARTBEAT_SECONDS
    await send_heartbeats(topic, topic.heartbeat_at + due, START)  # loads the script
    asked.clear()

    await send_heartbeats(topic, topic.heartbeat_at + due, later)

    assert asked == ["heartbeat", "heartbeat"]  # 300 people in parts of 200
    assert {seen(str(person)) for person in range(1, 301)} == {store.ms(later)}


async def test_between_due_times_heartbeats_are_of_those_who_polled(asked):
    line = line_of([1, 2, 3])
    await opened(line, "1")
    topic = QueueHub.current().topics[7]
    topic.receive(message(line))  # 300 seconds of absence: every 20 is enough
    await topic.task
    began = topic.heartbeat_at + settings.HEARTBEAT_SECONDS
    await send_heartbeats(topic, began, line.wait(1).now)
    topic.polled.add("2")
    asked.clear()

    await send_heartbeats(topic, began + live.BATCH_SECONDS, line.wait(2).now)
    await send_heartbeats(topic, began + 2 * live.BATCH_SECONDS, line.wait(2).now)

    assert asked == ["heartbeat"]
    assert (seen("1"), seen("2"), seen("3")) == (
        store.ms(START + timedelta(seconds=1)),
        store.ms(START + timedelta(seconds=3)),
        store.ms(START),
    )


@pytest.mark.parametrize(("absence", "often"), [(10, 2.5), (40, 10), (300, 20), (86_400, 20)])
async def test_an_open_page_is_a_sign_of_life_four_times_while_its_place_is_kept(absence, often):
    line = line_of([1], absence_ms=absence * 1000)
    await opened(line, "1")
    topic = QueueHub.current().topics[7]
    topic.receive(message(line))
    await topic.task
    began, beats = topic.heartbeat_at, []
    moment = began
    for _ in range(60):
        moment += live.BATCH_SECONDS
        before = topic.heartbeat_at
        await send_heartbeats(topic, moment, line.wait(live.BATCH_SECONDS).now)
        if topic.heartbeat_at != before:
            beats.append(moment)

    pauses = {later - earlier for earlier, later in zip([began, *beats], beats, strict=False)}
    assert max(pauses) <= max(often, live.BATCH_SECONDS)
    assert len(beats) >= 60 * live.BATCH_SECONDS / max(often, live.BATCH_SECONDS) - 1


async def test_heartbeats_of_nobody_ask_nothing(asked):
    line_of([1])
    topic = QueueHub.current().topic(7)

    await send_heartbeats(topic, topic.heartbeat_at + 100, START)

    assert asked == []


# -- topics come and go ---------------------------------------------------------------------------


async def test_an_idle_topic_is_dropped_and_one_in_use_is_not():
    line = line_of([1, 2])
    page = await opened(line, "1")
    hub = QueueHub.current()
    polled = QueueToken(8, "1", 1, "e1")
    hub.answer(polled, 0)
    moment = hub.topics[8].used_at + QueueHub.idle_seconds + 1

    hub.drop_idle_topics(moment - 2)
    both = sorted(hub.topics)
    hub.drop_idle_topics(moment)
    with_a_page = sorted(hub.topics)
    hub.unsubscribe(7, page.subscriber)
    hub.drop_idle_topics(hub.topics[7].used_at + QueueHub.idle_seconds + 1)

    assert (both, with_a_page, sorted(hub.topics)) == ([7, 8], [7], [])


async def test_on_shutdown_every_page_gets_a_reconnect_delay_of_its_own():
    line = line_of(range(1, 101))
    pages = [await opened(line, str(person)) for person in range(1, 101)]

    await core_hub.say_goodbye()

    moments = [page.last("reconnect")["after_ms"] for page in pages]
    assert all(0 <= moment <= 1000 * shutdown.LEAST_SPREAD_SECONDS for moment in moments)
    assert len(set(moments)) > 50
    assert {page.closed for page in pages} == {1}


async def test_a_hub_that_closes_leaves_no_task_behind(listeners):
    line = line_of([1, 2])
    await opened(line, "1")
    await until_it_listens()
    store.publish_tick_messages([message(line)])
    await until(lambda: QueueHub.current().topics[7].message)

    await QueueHub.current().close()
    await redis.close_async_clients()

    assert asyncio.all_tasks() == {asyncio.current_task()}
    await until(lambda: not listeners())

"""The hub of a process: it hears every tick, keeps places, and recovers by itself."""

import asyncio
import time
from collections.abc import Callable
from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest

from tests.waiting_queue.line import START
from tests.waiting_queue.live.pages import line_of, pulse, watching
from ticketing.core import redis
from ticketing.core.live import shutdown
from waiting_queue import errors, keys, store
from waiting_queue.live import hub as live
from waiting_queue.tokens import QueueToken

pytestmark = pytest.mark.usefixtures("no_server")


async def until(true: Callable[[], Any], seconds: float = 20) -> None:
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        await asyncio.sleep(0.01)


def listeners() -> list[dict[str, str]]:
    """The subscribed connections of this test's own Redis number."""
    clients = redis.client().client_list(_type="pubsub")
    return [one for one in clients if one["db"] == str(redis.database()) and one["sub"] == "1"]


async def until_it_listens() -> None:
    channel = keys.tick_channel(redis.database())
    await until(lambda: redis.client().pubsub_numsub(channel)[0][1] == 1)


async def test_a_tick_is_heard_and_told():
    line = line_of([1, 2])
    page = await watching(line, "2")
    await until_it_listens()

    line.leave("1")
    store.publish_tick_messages([pulse(line)])

    await until(lambda: [frame for frame in page.frames if frame.get("ahead") == 0])


async def test_a_page_is_told_first_where_it_stands_then_the_outlook_and_the_message():
    line = line_of([1, 2])
    outlook = {"sold_out": True, "grades": []}
    store.publish_tick_messages([replace(pulse(line), notice="late", outlook=outlook)])

    page = await watching(line, "2")

    kinds = [frame["type"] for frame in page.frames]
    assert kinds == ["standing", "outlook", "notice"]
    assert page.last()["ahead"] == 1
    assert page.last("outlook")["sold_out"] is True
    assert page.last("notice")["message"] == "late"


async def test_a_page_without_a_line_is_not_kept():
    line = line_of([1])
    store.delete_meta(7)

    with pytest.raises(errors.QueueUnavailable):
        await watching(line, "1")

    assert live.hub().rooms[7].people == {}


async def test_pulses_of_events_without_pages_here_are_not_even_read():
    line = line_of([1])
    await watching(line, "1")

    live.hub().hear("8 this is no pulse")

    assert list(live.hub().rooms) == [7]


async def test_a_pulse_that_came_before_ones_own_answer_is_not_told_twice_or_backwards():
    """The page is in the room before its answer is there; the answer is the older of the two."""
    line = line_of([1, 2])
    await watching(line, "1")
    found, told = line.peek("2"), asyncio.Event()

    async def slow_answer() -> store.Standing:
        await told.wait()
        return found

    from tests.waiting_queue.live.pages import Told

    page = Told("2")
    watch = asyncio.create_task(live.watch(7, page.connection, slow_answer(), line.now))
    await asyncio.sleep(0)
    line.leave("2")
    room = live.hub().room(7)
    room.hear(pulse(line))
    await room._working
    told.set()
    await watch

    assert [frame["state"] for frame in page.said()] == ["LEFT"]


# -- outages --------------------------------------------------------------------------------------


async def test_a_connection_that_is_cut_is_made_again(monkeypatch):
    monkeypatch.setattr(live, "RETRY_SECONDS", 0.05)
    line = line_of([1, 2])
    page = await watching(line, "2")
    await until_it_listens()
    (before,) = listeners()

    redis.client().client_kill_filter(_id=before["id"])
    await until(lambda: [one["id"] for one in listeners()] not in ([], [before["id"]]))
    line.leave("1")
    store.publish_tick_messages([pulse(line)])

    await until(lambda: [frame for frame in page.frames if frame.get("ahead") == 0])


async def test_after_a_cut_the_line_is_read_again_even_if_no_turn_seems_missing(asked, monkeypatch):
    """A Redis that was restored from a moment ago counts some turns twice."""
    monkeypatch.setattr(live, "RETRY_SECONDS", 0.05)
    line = line_of([1, 2, 3])
    page = await watching(line, "3")
    await until_it_listens()
    before = pulse(line)
    store.publish_tick_messages([before])
    await until(lambda: live.hub().rooms[7].pulse)
    (listener,) = listeners()

    redis.client().client_kill_filter(_id=listener["id"])
    line.leave("1")
    pulse(line)  # in this one; nobody hears it
    await until(lambda: [one["id"] for one in listeners()] not in ([], [listener["id"]]))
    asked.clear()
    store.publish_tick_messages([replace(pulse(line), turn=before.turn + 1)])

    await until(lambda: [frame for frame in page.frames if frame.get("ahead") == 1])
    assert asked == ["ZRANGE"]


async def test_signs_of_life_that_could_not_be_noted_are_noted_later(monkeypatch):
    line = line_of([1, 2])
    room = live.hub().room(7)
    room.polled.add("1")
    real, now = store.aheartbeat_all, line.wait(5).now

    async def down(*_: object) -> None:
        raise ConnectionError("down")

    monkeypatch.setattr(store, "aheartbeat_all", down)
    with pytest.raises(ConnectionError):
        await live.beat(room, room.beaten_at, now)
    monkeypatch.setattr(store, "aheartbeat_all", real)
    await live.beat(room, room.beaten_at, now)

    assert redis.client().zscore(keys.key(7, "seen"), "1") == store.ms(now)


async def test_a_pulse_with_words_of_another_release_is_read_as_far_as_possible():
    line = line_of([1, 2])
    page = await watching(line, "2")
    line.leave("1")

    text = pulse(line).to_text()
    live.hub().hear(text.replace("{", '{"new":1,', 1))
    await live.hub().rooms[7]._working

    assert page.last()["ahead"] == 0


# -- signs of life --------------------------------------------------------------------------------


def seen(person: str) -> int:
    return int(redis.client().zscore(keys.key(7, "seen"), person) or 0)


async def test_open_pages_and_polls_are_signs_of_life_in_one_step(asked):
    line = line_of(range(1, 301))
    for person in range(1, 301):
        await watching(line, str(person))
    room = live.hub().rooms[7]
    later = START + timedelta(seconds=60)
    await live.beat(room, room.beaten_at + live.PAGE_SECONDS, START)  # the script is known
    asked.clear()

    await live.beat(room, room.beaten_at + live.PAGE_SECONDS, later)

    assert asked == ["heartbeat", "heartbeat"]  # 300 people in parts of 200
    assert {seen(str(person)) for person in range(1, 301)} == {store.ms(later)}


async def test_between_its_times_a_beat_notes_only_those_who_polled(asked):
    line = line_of([1, 2, 3])
    await watching(line, "1")
    room = live.hub().rooms[7]
    room.hear(pulse(line))  # 300 seconds of absence: a beat every 20 is enough
    await room._working
    began = room.beaten_at + live.PAGE_SECONDS
    await live.beat(room, began, line.wait(1).now)
    room.polled.add("2")
    asked.clear()

    await live.beat(room, began + live.BEAT_SECONDS, line.wait(2).now)
    await live.beat(room, began + 2 * live.BEAT_SECONDS, line.wait(2).now)

    assert asked == ["heartbeat"]
    assert (seen("1"), seen("2"), seen("3")) == (
        store.ms(START + timedelta(seconds=1)),
        store.ms(START + timedelta(seconds=3)),
        store.ms(START),
    )


@pytest.mark.parametrize(("absence", "often"), [(10, 2.5), (40, 10), (300, 20), (86_400, 20)])
async def test_an_open_page_is_a_sign_of_life_four_times_while_its_place_is_kept(absence, often):
    line = line_of([1], absence_ms=absence * 1000)
    await watching(line, "1")
    room = live.hub().rooms[7]
    room.hear(pulse(line))
    await room._working
    began, beats = room.beaten_at, []
    moment = began
    for _ in range(60):
        moment += live.BEAT_SECONDS
        before = room.beaten_at
        await live.beat(room, moment, line.wait(live.BEAT_SECONDS).now)
        if room.beaten_at != before:
            beats.append(moment)

    pauses = {later - earlier for earlier, later in zip([began, *beats], beats, strict=False)}
    assert max(pauses) <= max(often, live.BEAT_SECONDS)
    assert len(beats) >= 60 * live.BEAT_SECONDS / max(often, live.BEAT_SECONDS) - 1


async def test_a_beat_for_nobody_asks_nothing(asked):
    line_of([1])
    room = live.hub().room(7)

    await live.beat(room, room.beaten_at + 100, START)

    assert asked == []


# -- rooms come and go ----------------------------------------------------------------------------


async def test_an_idle_room_is_forgotten_and_one_in_use_is_not():
    line = line_of([1, 2])
    page = await watching(line, "1")
    hub = live.hub()
    polled = QueueToken(8, "1", 1, "e1")
    hub.answer(polled, 0)
    moment = hub.rooms[8].used_at + live.IDLE_SECONDS + 1

    hub._forget_idle_rooms(moment - 2)
    both = sorted(hub.rooms)
    hub._forget_idle_rooms(moment)
    with_a_page = sorted(hub.rooms)
    live.leave(7, page.connection)
    hub._forget_idle_rooms(hub.rooms[7].used_at + live.IDLE_SECONDS + 1)

    assert (both, with_a_page, sorted(hub.rooms)) == ([7, 8], [7], [])


async def test_at_the_farewell_everybody_is_told_a_moment_of_their_own():
    line = line_of(range(1, 101))
    pages = [await watching(line, str(person)) for person in range(1, 101)]

    await live.hub().farewell()

    moments = [page.last("reconnect")["after_ms"] for page in pages]
    assert all(0 <= moment <= 1000 * shutdown.LEAST_SPREAD for moment in moments)
    assert len(set(moments)) > 50
    assert {page.ended for page in pages} == {1}


async def test_a_hub_that_closes_leaves_no_task_behind():
    line = line_of([1, 2])
    await watching(line, "1")
    await until_it_listens()
    store.publish_tick_messages([pulse(line)])
    await until(lambda: live.hub().rooms[7].pulse)

    await live.hub().close()
    await redis.close_async_clients()

    assert asyncio.all_tasks() == {asyncio.current_task()}
    await until(lambda: not listeners())

"""What a room of open maps tells, and what becomes of it, without sockets."""

import asyncio
import json
import time
from datetime import timedelta

import pytest

from reservations import gate, keys, seat_hub, store
from reservations.seat_hub import Connection, SeatHub
from ticketing.core import redis
from ticketing.core.live.send_buffer import SendBuffer


class Map:
    """Takes what it is told; `stuck` takes nothing more until it is let go."""

    def __init__(self):
        self.frames, self.room_for_more = [], asyncio.Event()
        self.room_for_more.set()
        self.connection = Connection(SendBuffer(self.take, self.end), self.end)

    async def take(self, text):
        self.frames.append(json.loads(text))
        await self.room_for_more.wait()

    def end(self):
        self.ended = True

    def kinds(self):
        return [frame["type"] for frame in self.frames]


@pytest.fixture
async def hub(now):
    hub = SeatHub()
    yield hub
    for room in hub.rooms.values():
        room.close()


async def until(true, seconds=10):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        await asyncio.sleep(0.01)


def tell(seats, letter, now):
    gate.publish_seats(7, 1, seats, letter, until=now + timedelta(minutes=5))


async def test_a_seat_that_changed_twice_is_told_as_it_is_now(hub, now):
    tell([1, 2], "h", now)
    tell([1], "a", now)
    one = Map()
    hub.watch(7, one.connection, now)

    await until(lambda: len(one.frames) == 2)

    assert one.frames[1]["changes"] == {"a": [1], "h": [2]}


async def test_who_is_slow_looks_at_the_whole_list_when_able_again(hub, now):
    slow = Map()
    slow.room_for_more.clear()
    hub.watch(7, slow.connection, now)
    for seat in range(1, 4):
        tell([seat], "h", now)
        await asyncio.sleep(2 * seat_hub.LOOK_SECONDS)

    slow.room_for_more.set()
    await until(lambda: len(slow.frames) > 1)

    assert slow.kinds() == ["seats", "refresh"]


async def test_the_last_one_out_ends_the_reader(hub, now):
    one, two = Map(), Map()
    for each in (one, two):
        hub.watch(7, each.connection, now)
    reader = hub.rooms[7]._reader

    hub.leave(7, one.connection)
    assert 7 in hub.rooms
    hub.leave(7, two.connection)
    await asyncio.sleep(0)

    assert hub.rooms == {}
    assert reader.cancelling()


async def test_after_an_outage_everybody_looks_at_the_list(hub, now, monkeypatch):
    monkeypatch.setattr(seat_hub, "RETRY_SECONDS", 0.05)
    one = Map()
    hub.watch(7, one.connection, now)
    await until(lambda: hub.rooms[7]._glance is not None)

    redis.client().set(keys.seat_updates(7), "no stream")  # every look fails
    await until(lambda: hub.rooms[7]._glance is None)
    redis.client().delete(keys.seat_updates(7))

    await until(lambda: one.kinds()[-1] == "refresh")
    tell([5], "h", now)
    await until(lambda: one.frames[-1].get("changes") == {"h": [5]})
    assert 7 in hub.rooms


async def test_readers_ask_a_few_times_a_second_however_many_watch(hub, now, monkeypatch):
    glance, looks = store.glance, []
    monkeypatch.setattr(
        store, "glance", lambda *args, **last: looks.append(args) or glance(*args, **last)
    )
    watchers = [Map() for _ in range(200)]
    for each in watchers:
        hub.watch(7, each.connection, now)
    tell(range(1, 500), "h", now)

    await asyncio.sleep(1)

    assert 1 <= len(looks) <= 1.5 / seat_hub.LOOK_SECONDS
    assert {len(each.frames) for each in watchers} == {2}
    assert len({json.dumps(each.frames[1]) for each in watchers}) == 1


async def test_whoever_watches_is_told_goodbye(hub, now):
    one = Map()
    hub.watch(7, one.connection, now)

    await hub.farewell()

    assert one.kinds() == ["seats", "reconnect"]
    assert one.ended

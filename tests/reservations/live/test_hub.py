"""What the seat hub pushes, and when it reads, without sockets."""

import asyncio
import json
import time
from datetime import timedelta

import pytest

from reservations import gate, keys
from reservations.live import hub as live
from reservations.live.hub import SeatHub, SeatSubscriber
from ticketing.core import redis
from ticketing.core.live.hub import say_goodbye


class Map:
    """An open map that keeps its frames; it takes no more while `can_read` is cleared."""

    def __init__(self):
        self.frames, self.can_read, self.closed = [], asyncio.Event(), 0
        self.can_read.set()
        self.subscriber = SeatSubscriber(self)

    async def send_text(self, text):
        self.frames.append(json.loads(text))
        await self.can_read.wait()

    def close_soon(self):
        self.closed += 1

    abort = close_soon

    def kinds(self):
        return [frame["type"] for frame in self.frames]


@pytest.fixture
async def hub():
    hub = SeatHub.current()
    yield hub
    await hub.close()


async def until(true, seconds=60):
    deadline = time.monotonic() + seconds
    while not true():
        assert time.monotonic() < deadline, "it did not become true in time"
        await asyncio.sleep(0.01)


def change(seats, letter, now):
    gate.publish_seats(7, 1, seats, letter, until=now + timedelta(minutes=5))


async def test_a_seat_that_changed_twice_is_pushed_as_it_is_now(hub, now):
    change([1, 2], "h", now)
    change([1], "a", now)
    one = Map()
    hub.subscribe(7, one.subscriber)

    await until(lambda: len(one.frames) == 2)

    assert one.frames[1]["changes"] == {"a": [1], "h": [2]}


async def test_a_slow_client_is_sent_to_the_whole_list_when_it_reads_again(hub, now, reads):
    slow = Map()
    slow.can_read.clear()
    hub.subscribe(7, slow.subscriber)
    for seat in range(1, 4):
        change([seat], "h", now)
        await until(lambda seat=seat: [it for it in reads if any(seat in s for *_, s in it.seats)])

    slow.can_read.set()
    await until(lambda: len(slow.frames) > 1)

    assert slow.kinds() == ["seats", "refresh"]


async def test_the_last_subscriber_to_leave_ends_the_reader(hub):
    one, two = Map(), Map()
    for each in (one, two):
        hub.subscribe(7, each.subscriber)
    reader = hub.topics[7].task

    hub.unsubscribe(7, one.subscriber)
    assert 7 in hub.topics
    hub.unsubscribe(7, two.subscriber)
    await asyncio.sleep(0)

    assert hub.topics == {}
    assert reader.cancelling()


async def test_after_an_outage_every_map_fetches_the_list(hub, now, monkeypatch):
    monkeypatch.setattr(live, "RETRY_SECONDS", 0.05)
    one = Map()
    hub.subscribe(7, one.subscriber)
    await until(lambda: hub.topics[7]._last_read is not None)

    redis.client().set(keys.seat_updates(7), "no stream")  # every read fails
    await until(lambda: hub.topics[7]._last_read is None)
    redis.client().delete(keys.seat_updates(7))

    await until(lambda: one.kinds()[-1] == "refresh")
    change([5], "h", now)
    await until(lambda: one.frames[-1].get("changes") == {"h": [5]})
    assert 7 in hub.topics


async def test_readers_ask_a_few_times_a_second_however_many_subscribers(hub, now, reads):
    maps, began = [Map() for _ in range(200)], time.monotonic()
    for each in maps:
        hub.subscribe(7, each.subscriber)
    change(range(1, 500), "h", now)

    await until(lambda: len(reads) >= 4)

    assert len(reads) <= 1 + (time.monotonic() - began) / live.READ_SECONDS
    assert {len(each.frames) for each in maps} == {2}
    assert len({json.dumps(each.frames[1]) for each in maps}) == 1


async def test_on_shutdown_every_map_is_asked_to_reconnect(hub):
    one = Map()
    hub.subscribe(7, one.subscriber)

    await say_goodbye()

    assert one.kinds() == ["seats", "reconnect"]
    assert one.closed == 1

"""One person has only so many open pages, over all server processes."""

import asyncio
import threading
from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta

import pytest
from django.conf import settings

from tests.waiting_queue.line import START
from tests.waiting_queue.live.conftest import wait_until
from tests.waiting_queue.live.open_pages import OpenPage, line_of, opened
from ticketing.core import redis
from waiting_queue import errors, keys, store
from waiting_queue.live.hub import QueueHub
from waiting_queue.live.page_limit import (
    LEASE_SECONDS,
    RENEWAL_SECONDS,
    lease_places,
    release_places,
)
from waiting_queue.live.topics import QueueTopic

MOST = settings.PAGES_PER_PERSON
without_a_server = pytest.mark.usefixtures("no_server")


def topic_of(person: str, pages: int) -> tuple[QueueTopic, list[OpenPage]]:
    """As another server process has it."""
    topic, opened_pages = QueueTopic(7), [OpenPage(person) for _ in range(pages)]
    for page in opened_pages:
        topic.add(page.subscriber)
    return topic, opened_pages


def leased(*topics: QueueTopic) -> list[int]:
    return sorted(page.place for topic in topics for page in topic.subscribers)


# -- in one process -------------------------------------------------------------------------------


def test_pages_opened_at_the_same_moment_are_counted(paused, make_fan, served):
    fan, other = make_fan(paused), make_fan(paused)
    fan.join(), other.join()

    with ThreadPoolExecutor(12) as threads:
        pages = list(threads.map(lambda _: fan.connect(), range(12)))
        first = list(threads.map(lambda page: page.next_of_any(), pages))

    refused = [frame for frame in first if frame["type"] == "error"]
    assert len(first) - len(refused) == served.subscribers(paused) == MOST
    assert {frame["code"] for frame in refused} == {"too_many_pages"}
    assert other.open().greeted()["state"] == "WAITING"


def test_control_without_a_limit_all_of_them_are_open(paused, make_fan, served, monkeypatch):
    monkeypatch.setattr(settings, "PAGES_PER_PERSON", 0)
    fan = make_fan(paused)
    fan.join()

    pages = [fan.connect() for _ in range(MOST + 2)]

    assert {page.next_of_any()["type"] for page in pages} == {"standing"}


def test_a_page_too_many_is_refused_and_a_closed_one_makes_room(paused, make_fan, served):
    fan = make_fan(paused)
    fan.join()
    pages = [fan.open() for _ in range(MOST)]
    token = pages[0].greeted()["token"]

    (frame,), code = fan.connect(**{"Accept-Language": "en"}).to_the_end()
    with_token = fan.connect(Cookie="", Authorization=f"Bearer {token}").to_the_end()[1]
    pages[0].socket.close()
    wait_until(lambda: served.subscribers(paused) == MOST - 1)

    assert (frame["code"], code, with_token) == ("too_many_pages", 4429, 4429)
    assert frame["message"] == "You have this waiting page open too many times."
    assert fan.open().greeted()["state"] == "WAITING"


# -- over several processes -----------------------------------------------------------------------


@without_a_server
async def test_several_processes_share_the_places_of_a_person():
    line_of([1])
    processes = [topic_of("1", 3) for _ in range(4)]
    topics = [topic for topic, _ in processes]

    await asyncio.gather(*(lease_places(topic, topic.leased_at, START) for topic in topics))

    pages = [page for _, pages in processes for page in pages]
    refused = [page for page in pages if page.closed]
    assert len(pages) - len(refused) == MOST
    assert all(page.frames[-1]["code"] == "too_many_pages" for page in refused)
    assert [place for place in leased(*topics) if place] == list(range(1, MOST + 1))


@without_a_server
async def test_a_closed_page_gives_its_place_to_another_process():
    (one, pages), (other, _) = topic_of("1", MOST), topic_of("1", 1)
    await lease_places(one, one.leased_at, START)
    one.remove(pages[0].subscriber)

    await lease_places(one, one.leased_at, START)
    await lease_places(other, other.leased_at, START)

    assert leased(other) == [pages[0].subscriber.place]


@without_a_server
async def test_places_are_renewed_and_those_of_a_crashed_process_lapse():
    (crashed, _), (alive, _) = topic_of("1", 3), topic_of("2", 3)
    for topic in (crashed, alive):
        await lease_places(topic, topic.leased_at, START)
    later = START + timedelta(seconds=RENEWAL_SECONDS)
    await lease_places(alive, alive.leased_at + RENEWAL_SECONDS, later)
    after = START + timedelta(seconds=LEASE_SECONDS + 1)
    newcomers = [topic_of(person, MOST)[0] for person in "12"]

    for topic in newcomers:
        await lease_places(topic, topic.leased_at, after)

    assert leased(newcomers[0]) == list(range(1, MOST + 1))
    assert [place for place in leased(newcomers[1]) if place] == [4, 5]
    assert redis.client().zcard(keys.pages(7)) == 2 * MOST


@without_a_server
async def test_a_process_that_stops_gives_all_its_places_back():
    topic, _ = topic_of("1", 3)
    await lease_places(topic, topic.leased_at, START)

    await release_places(topic, START)

    assert redis.client().exists(keys.pages(7)) == 0


@without_a_server
async def test_without_redis_pages_stay_open(monkeypatch):
    async def down(*_: object, **__: object) -> None:
        raise ConnectionError("down")

    topic, pages = topic_of("1", 3)
    monkeypatch.setattr(store, "alease_pages", down)

    with pytest.raises(ConnectionError):
        await lease_places(topic, topic.leased_at, START)
    await release_places(topic, START)

    assert not any(page.closed for page in pages)


@without_a_server
async def test_the_hub_refuses_what_this_process_has_too_many_of():
    line = line_of([1])
    for _ in range(MOST):
        await opened(line, "1")

    with pytest.raises(errors.TooManyPages):
        await opened(line, "1")

    assert len(QueueHub.current().topics[7].subscribers) == MOST


# -- the script -----------------------------------------------------------------------------------


def in_parallel(lease) -> list[int]:
    barrier = threading.Barrier(20)

    def one(_: int) -> int:
        barrier.wait()
        return lease()

    with ThreadPoolExecutor(20) as threads:
        return sorted(threads.map(one, range(20)))


def test_twenty_at_once_get_each_place_once():
    def lease() -> int:
        return store.run(store.lease_pages(7, [("1", 0)], START, lease_ms=60_000))[0]

    assert in_parallel(lease) == [0] * (20 - MOST) + list(range(1, MOST + 1))


def test_control_reading_and_writing_in_two_steps_gives_a_place_twice():
    client, both_read = redis.client(), threading.Barrier(20)

    def lease() -> int:
        taken = [place for place in range(1, MOST + 1) if client.zscore("control", place)]
        both_read.wait()
        place = next(place for place in range(1, MOST + 1) if place not in taken)
        client.zadd("control", {str(place): 1})
        return place

    assert in_parallel(lease) == [1] * 20

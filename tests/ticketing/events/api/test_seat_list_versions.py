"""Asking again is nearly free, and what is served is never stuck in the past."""

import threading
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from functools import partial
from time import sleep
from typing import Any

import pytest
from django.db import connection
from django.test import Client

from tests.making import make_event, make_plan, seat_ids
from tests.ticketing.events.api import decoding
from ticketing.core import redis
from ticketing.events import keys, services, store
from ticketing.events.models import Event, Seat
from ticketing.events.seat_list import cached

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def quick(monkeypatch: pytest.MonkeyPatch) -> None:
    """Builders are never slow enough to need a rest, however busy the machine is."""
    monkeypatch.setattr(cached, "SHORT_BUILD_SECONDS", 60.0)


@pytest.fixture
def seats_url(event: Event) -> str:
    return f"/api/v1/events/{event.pk}/seats/"


def block(event: Event, seat: int, now: datetime) -> None:
    services.block_seats(event_id=event.pk, seat_ids=[seat], by=None, reason="", now=now)


def release(event: Event, seat: int, now: datetime) -> None:
    services.release_seats(event_id=event.pk, seat_ids=[seat], by=None, reason="", now=now)


def served(event: Event) -> dict[int, tuple[Any, ...]]:
    answer = cached.seat_list(event.pk, known=())
    assert answer.body is not None
    return decoding.seats(decoding.unpacked(answer.body))


def wait_until_builders_rested(event: Event) -> None:
    while redis.client().exists(keys.seat_list_build_lock(event.pk)):
        sleep(0.01)


def test_unchanged_costs_one_redis_call_and_no_sql(
    client: Client, seats_url: str, counting_redis: Any, counting_sql: Any
) -> None:
    tag = client.get(seats_url)["ETag"]

    with counting_redis() as calls, counting_sql() as sql:
        answer = client.get(seats_url, headers={"if-none-match": f'"other", {tag}'})

    assert (answer.status_code, answer.content, answer["ETag"]) == (304, b"", tag)
    assert calls == {"get": 1}
    assert len(sql) == 0


def test_a_kept_list_costs_two_redis_calls_and_no_sql(
    client: Client, seats_url: str, counting_redis: Any, counting_sql: Any
) -> None:
    client.get(seats_url)

    with counting_redis() as calls, counting_sql() as sql:
        answer = client.get(seats_url)

    assert answer.status_code == 200
    assert calls == {"get": 2}
    assert len(sql) == 0


def test_building_takes_few_statements_however_many_seats(now: datetime, counting_sql: Any) -> None:
    big = make_event(now, plan=make_plan(rows=30, seats_per_row=30, standing=50))

    with counting_sql() as sql:
        cached.compressed_body(big.pk)

    assert len(sql) <= 5


def test_a_changed_seat_gives_a_new_list(
    client: Client, seats_url: str, event: Event, now: datetime
) -> None:
    seat = seat_ids(event)[0]
    before = client.get(seats_url)

    block(event, seat, now)
    after = client.get(seats_url, headers={"if-none-match": before["ETag"]})

    assert after.status_code == 200
    assert after["ETag"] != before["ETag"]
    assert decoding.seats(after.json())[seat][-1] == "blocked"


def test_an_emptied_redis_never_brings_an_old_tag_back(
    client: Client, seats_url: str, event: Event
) -> None:
    tags = set()
    for _ in range(5):
        tags.add(client.get(seats_url)["ETag"])
        redis.client().flushdb()

    assert len(tags) == 5


def test_a_version_ends_so_that_lost_news_is_made_up_for(
    client: Client, seats_url: str, event: Event
) -> None:
    client.get(seats_url)

    assert 0 < redis.client().ttl(keys.seats_version(event.pk)) <= store.VERSION_SECONDS
    assert 0 < redis.client().ttl(keys.seat_list(event.pk)) <= store.LIST_SECONDS


def test_a_draft_has_no_list_even_for_those_who_had_it(client: Client, now: datetime) -> None:
    event = make_event(now, state=Event.State.ANNOUNCED)
    url = f"/api/v1/events/{event.pk}/seats/"
    tag = client.get(url)["ETag"]

    services.move_event(event_id=event.pk, to=Event.State.DRAFT, by=None, now=now)

    assert client.get(url, headers={"if-none-match": tag}).status_code == 404
    assert client.get(url).json()["code"] == "not_found"


def test_guessing_addresses_leaves_no_lasting_keys(client: Client, db: None) -> None:
    for event_id in (0, 5, 10**6, 10**30):
        assert client.get(f"/api/v1/events/{event_id}/seats/").status_code == 404

    assert redis.client().keys("ticketing:*") == []


def test_while_one_builds_the_others_get_the_list_before(event: Event, now: datetime) -> None:
    seat = seat_ids(event)[0]
    before = served(event)
    assert store.acquire_build_lock(event.pk)
    block(event, seat, now)

    assert served(event) == before
    store.release_build_lock(event.pk, pause_ms=0)
    assert served(event)[seat][-1] == "blocked"


def test_who_built_slowly_rests_and_the_list_before_is_served_meanwhile(
    event: Event, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    before, seat = served(event), seat_ids(event)[0]
    monkeypatch.setattr(cached, "SHORT_BUILD_SECONDS", 0.0)
    monkeypatch.setattr(cached, "PAUSE_FACTOR", 10_000)
    block(event, seat, now)
    slowly = served(event)
    release(event, seat, now)

    assert served(event) == slowly != before
    redis.client().delete(keys.seat_list_build_lock(event.pk))
    assert served(event) == before


def test_without_a_list_before_they_wait_for_the_builder(event: Event) -> None:
    assert store.acquire_build_lock(event.pk)
    with ThreadPoolExecutor(1) as threads:
        waiting = threads.submit(
            lambda: (cached.seat_list(event.pk, known=()), connection.close())[0]
        )
        built = cached.build(event.pk)

    assert waiting.result().version == built.version


def test_a_builder_that_never_comes_back_holds_nobody_up(event: Event) -> None:
    assert store.acquire_build_lock(event.pk)

    assert served(event) == decoding.seats_in_the_database(event)


def test_a_stampede_builds_a_list_once(event: Event, monkeypatch: pytest.MonkeyPatch) -> None:
    built: list[int] = []
    body, all_there = cached.compressed_body, threading.Barrier(8)

    def counted(event_id: int) -> bytes:
        built.append(event_id)
        return body(event_id)

    def ask(_: int) -> str | None:
        all_there.wait()
        try:
            return cached.seat_list(event.pk, known=()).version
        finally:
            connection.close()

    monkeypatch.setattr(cached, "compressed_body", counted)
    with ThreadPoolExecutor(8) as threads:
        versions = set(threads.map(ask, range(8)))

    assert (len(built), len(versions)) == (1, 1)


# -- the race between a change and a build -------------------------------------------------------


@pytest.fixture
def change_between() -> Iterator[Callable[..., None]]:
    """Runs a change on another connection, while this one is in the middle of a build."""
    with ThreadPoolExecutor(1) as other:

        def run(change: Callable[[], None]) -> None:
            other.submit(lambda: (change(), connection.close())).result()

        yield run


def test_a_change_in_the_middle_of_a_build_is_served_next(
    event: Event, now: datetime, change_between: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    seat, body = seat_ids(event)[0], cached.compressed_body

    def overtaken(event_id: int) -> bytes:
        read = body(event_id)
        change_between(partial(block, event, seat, now))
        return read

    with monkeypatch.context() as patched:
        patched.setattr(cached, "compressed_body", overtaken)
        cached.build(event.pk)

    assert served(event)[seat][-1] == "blocked"


def test_control_reading_the_version_last_would_stick_in_the_past(
    event: Event, now: datetime, change_between: Any
) -> None:
    seat = seat_ids(event)[0]

    body = cached.compressed_body(event.pk)
    change_between(partial(block, event, seat, now))
    version = store.ensure_seats_version(event.pk)
    store.cache_seat_list(event.pk, store.CachedSeatList(version, body))

    assert served(event)[seat][-1] == "available"
    assert decoding.seats_in_the_database(event)[seat][-1] == "blocked"


def test_after_writers_and_readers_raced_the_list_equals_the_database(
    event: Event, now: datetime
) -> None:
    seats, done = seat_ids(event), threading.Event()

    def write(seat: int) -> None:
        for step in (block, release, block, release, block):
            step(event, seat, now)
        connection.close()

    def read() -> int:
        answers = 0
        while not done.is_set():
            served(event)
            answers += 1
        connection.close()
        return answers

    with ThreadPoolExecutor(8) as threads:
        readers = [threads.submit(read) for _ in range(4)]
        list(threads.map(write, seats[:8]))
        done.set()

    assert all(reader.result() > 0 for reader in readers)
    assert Seat.objects.filter(event=event, state="blocked").count() == 8
    wait_until_builders_rested(event)
    assert served(event) == decoding.seats_in_the_database(event)

"""The seat list for a crowd: the view's own bytes, without a thread."""

import asyncio
import threading
from collections.abc import AsyncIterator
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime
from typing import Any

import httpx
import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from tests.making import seat_ids
from ticketing.asgi import application
from ticketing.core import redis
from ticketing.core.auto_pipeline import AutoPipeline
from ticketing.events import services, store
from ticketing.events.models import Event

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
async def http(transactional_db: None, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Any]:
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    transport = httpx.ASGITransport(application)
    async with httpx.AsyncClient(transport=transport, base_url="http://testserver") as client:
        yield client
    await redis.close_async_clients()
    await sync_to_async(connections.close_all)()


@pytest.fixture
def url(event: Event) -> str:
    return f"/api/v1/events/{event.pk}/seats/"


@pytest.fixture
def only_fast_path(monkeypatch: pytest.MonkeyPatch) -> Any:
    """From here on nobody gets through to Django."""

    async def shut(scope: Any, receive: Any, send: Any) -> None:
        raise AssertionError("this went on to Django")

    return lambda: monkeypatch.setattr("ticketing.asgi.site.fallback", shut)


async def test_it_answers_as_the_view_does(http: Any, url: str, only_fast_path: Any) -> None:
    view = await http.get(url)
    only_fast_path()

    fast = await http.get(url)

    assert fast.json() == view.json()
    for name in ("etag", "cache-control", "content-encoding", "content-type"):
        assert fast.headers[name] == view.headers[name]
    assert fast.headers["vary"] == "Accept-Encoding"  # the same for every language


async def test_who_has_it_is_told_so(http: Any, url: str, only_fast_path: Any) -> None:
    tag = (await http.get(url)).headers["etag"]
    only_fast_path()

    again = await http.get(url, headers={"if-none-match": f'"other", {tag}'})

    assert (again.status_code, again.content, again.headers["etag"]) == (304, b"", tag)
    assert again.headers["cache-control"] == "no-cache"


async def test_a_crowd_takes_no_thread(http: Any, url: str, only_fast_path: Any) -> None:
    first = await http.get(url)
    only_fast_path()

    answers = await asyncio.gather(*(http.get(url) for _ in range(100)))

    assert {answer.content for answer in answers} == {first.content}


async def test_while_one_builds_the_others_get_the_list_before(
    http: Any, url: str, event: Event, now: datetime, only_fast_path: Any
) -> None:
    before = await http.get(url)
    await sync_to_async(block_one)(event, now)
    await sync_to_async(store.release_build_lock)(event.pk, pause_ms=0)
    assert await sync_to_async(store.acquire_build_lock)(event.pk)
    only_fast_path()

    meanwhile = await http.get(url)

    assert meanwhile.content == before.content


async def test_of_a_crowd_one_is_sent_to_build(
    http: Any, url: str, event: Event, now: datetime, only_fast_path: Any
) -> None:
    before = await http.get(url)
    await sync_to_async(block_one)(event, now)
    await sync_to_async(store.release_build_lock)(event.pk, pause_ms=0)

    sent = [await store.aacquire_dispatch_lock(event.pk) for _ in range(3)]
    only_fast_path()
    others = await asyncio.gather(*(http.get(url) for _ in range(20)))

    assert sent == [True, False, False]
    assert {answer.content for answer in others} == {before.content}


def sent_at_once(event: Event) -> int:
    """How many of eight processes' loops are sent to build at the same moment."""
    ready = threading.Barrier(8)

    def ask(_: int) -> bool:
        async def one() -> bool:
            await redis.async_client().get("nothing")  # connected
            ready.wait()
            sent = await store.aacquire_dispatch_lock(event.pk)
            await redis.close_async_clients()
            return sent

        return asyncio.run(one())

    with ThreadPoolExecutor(8) as threads:
        return sum(threads.map(ask, range(8)))


def test_of_eight_at_the_same_moment_one_is_sent(event: Event) -> None:
    assert sent_at_once(event) == 1


def test_control_without_the_condition_all_would_be(
    event: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    call = AutoPipeline.call
    monkeypatch.setattr(
        AutoPipeline, "call", lambda self, *words: call(self, *(w for w in words if w != "NX"))
    )

    assert sent_at_once(event) == 8


async def test_what_has_to_be_built_is_built(
    http: Any, url: str, event: Event, now: datetime
) -> None:
    before = await http.get(url)
    await sync_to_async(block_one)(event, now)
    await sync_to_async(store.release_build_lock)(event.pk, pause_ms=0)

    after = await http.get(url)

    assert after.headers["etag"] != before.headers["etag"]
    assert "b" in after.json()["states"]


async def test_a_reader_without_gzip_is_served_by_the_view(http: Any, url: str) -> None:
    packed = await http.get(url)

    plain = await http.get(url, headers={"accept-encoding": "identity"})

    assert "content-encoding" not in plain.headers
    assert plain.json() == packed.json()


async def test_without_redis_it_comes_from_the_database(
    http: Any, url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def gone(*args: Any) -> Any:
        raise redis_is_down

    redis_is_down = store.RedisError("gone")
    monkeypatch.setattr(store, "aseat_list_state", gone)
    monkeypatch.setattr(store, "seats_version", gone)

    answer = await http.get(url)

    assert answer.status_code == 200
    assert "etag" not in answer.headers


async def test_an_event_that_is_not_there_is_not_found(http: Any, db: None) -> None:
    answer = await http.get("/api/v1/events/999999999999/seats/")

    assert (answer.status_code, answer.json()["code"]) == (404, "not_found")


def block_one(event: Event, now: datetime) -> None:
    seat = seat_ids(event)[0]
    services.block_seats(event_id=event.pk, seat_ids=[seat], by=None, reason="", now=now)

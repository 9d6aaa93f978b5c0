"""How long pages take in a process."""

import asyncio

import pytest

from ticketing.core import clock, latency
from ticketing.core.latency import Latency, LatencyMiddleware


@pytest.fixture
def time(monkeypatch):
    class Time:
        now = 100.0

    monkeypatch.setattr(clock, "monotonic", lambda: Time.now)
    return Time


def took(kept, time, *seconds):
    for each in seconds:
        name = kept.begin()
        time.now += each
        kept.end(name)


def test_the_95th_percentile_is_told_in_milliseconds(time):
    kept = Latency()
    took(kept, time, *[0.01] * 95, *[0.4] * 5)

    assert kept.p95_ms() == 400


def test_too_few_pages_tell_nothing(time):
    kept = Latency()
    took(kept, time, 0.1, 0.1)

    assert kept.p95_ms() is None


def test_only_the_last_seconds_count(time):
    kept = Latency()
    took(kept, time, *[2.0] * 5)
    time.now += latency.SECONDS + 1
    took(kept, time, *[0.1] * 5)

    assert kept.p95_ms() == 100


def test_a_jam_is_seen_while_it_lasts(time):
    kept = Latency()
    for _ in range(6):
        kept.begin()
    time.now += 8

    assert kept.p95_ms() == 8_000


def test_copies_count_and_do_not_hide_slow_pages(time):
    kept = Latency()
    for _ in range(1_000):
        kept.add_copy(time.now - 0.002)
    quick = kept.p95_ms()
    took(kept, time, *[0.4] * 10)

    assert (quick, kept.p95_ms()) == (2, 400)


async def serve(path, method="GET", *, fails=False):
    kept = Latency()

    async def application(scope, receive, send):
        await asyncio.sleep(0.01)
        if fails:
            raise RuntimeError
        await send({"type": "http.response.start"})
        await send({"type": "http.response.body"})

    async def nowhere(message): ...

    timed = LatencyMiddleware(application, kept)
    for _ in range(latency.FEWEST):
        try:
            await timed({"path": path, "method": method}, None, nowhere)
        except RuntimeError:
            continue
    return kept


async def test_pages_are_timed_where_they_arrive():
    assert (await serve("/events/7/")).p95_ms() >= 10


async def test_a_page_that_fails_is_timed_too_and_is_not_started_for_ever():
    kept = await serve("/events/7/", fails=True)

    assert kept.p95_ms() >= 10
    assert not kept._started


@pytest.mark.parametrize(
    ("method", "path"),
    [("GET", "/static/a.css"), ("GET", "/admin/console/7/"), ("POST", "/orders/")],
)
async def test_what_says_nothing_about_the_crowd_is_not_timed(method, path):
    assert (await serve(path, method)).p95_ms() is None

"""A process that is behind asks those who can wait to come back, until it has caught up."""

import asyncio
import time
from typing import Any

import pytest
from django.dispatch import Signal

from ticketing.core import overload as module
from ticketing.core.fast_path.front_door import FrontDoor, PageDoor, waited_ms
from ticketing.core.live.socket_slots import BURST_SECONDS, LONGEST_SECONDS, SocketSlots
from ticketing.core.overload import CALM_SECONDS, INTERVAL, Overload, watch
from ticketing.core.page_threads import PageThreads


@pytest.fixture(autouse=True)
def limits(settings: Any) -> None:
    settings.OVERLOAD_LAG_MS, settings.OVERLOAD_PAGES, settings.WEB_THREADS = 500, 10, 2
    settings.SOCKETS_PER_SECOND = 100


@pytest.fixture
def state() -> Overload:
    return Overload()


@pytest.fixture
def behind(state: Overload) -> Overload:
    state.note(2.0, 0.0)
    return state


# -- when -----------------------------------------------------------------------------------------


def test_a_late_event_loop_is_behind_and_a_busy_one_is_not(state):
    for _ in range(10):
        state.note(0.4, 0.0)
    busy = state.is_on
    for _ in range(10):
        state.note(0.6, 1.0)

    assert (busy, state.is_on) == (False, True)


def test_one_hiccup_is_no_overload(state):
    state.note(0.9, 0.0)

    assert not state.is_on


def test_it_has_caught_up_only_after_it_was_calm_for_a_while(behind):
    moments, now = [], 0.0
    while behind.is_on:
        now += INTERVAL
        behind.note(0.0, now)
        moments.append(now)

    assert CALM_SECONDS < moments[-1] < CALM_SECONDS + 2


def test_control_a_lag_that_comes_back_does_not_switch_it_off_and_on(behind):
    now = 0.0
    for step in range(200):  # every second, a lag between the half and the whole limit
        now += INTERVAL
        behind.note(0.9 if step % 5 == 0 else 0.0, now)
        assert behind.is_on


def test_pages_that_wait_for_a_thread_count_at_once(state):
    for _ in range(12):
        state.page_began()
    at_the_limit = state.is_on
    state.page_began()

    assert (at_the_limit, state.is_on) == (False, True)
    for _ in range(13):
        state.page_ended()
    state.note(0.0, 1.0)
    state.note(0.0, 1.1 + CALM_SECONDS)
    assert not state.is_on


async def test_an_event_loop_that_is_blocked_is_noticed_and_reported(state, monkeypatch):
    reports, signal = asyncio.Queue(), Signal()
    monkeypatch.setattr(module, "server_behind", signal)
    monkeypatch.setattr(module, "STARTUP_SECONDS", 0)

    async def report(**_: Any) -> None:
        reports.put_nowait(state.lag)

    signal.connect(report)
    watching = asyncio.create_task(watch(state))
    for _ in range(3):  # until it measures
        await asyncio.sleep(0)
    control = state.is_on

    time.sleep(INTERVAL + 1.5)  # as a callback that computes for too long
    lag = await asyncio.wait_for(reports.get(), 60)

    assert (control, state.is_on) == (False, True)
    assert lag >= 0.5
    watching.cancel()


# -- who ------------------------------------------------------------------------------------------


async def answered(
    state: Overload, method: str, path: str, door: Any = FrontDoor, **headers: str
) -> tuple[int, dict[bytes, bytes], bytes]:
    """The answer of the door, or 200 of the application behind it."""
    messages: list[dict[str, Any]] = []

    async def application(scope: Any, receive: Any, send: Any) -> None:
        await send({"type": "http.response.start", "status": 200, "headers": scope["headers"]})
        await send({"type": "http.response.body", "body": b""})

    async def send(message: dict[str, Any]) -> None:
        messages.append(message)

    pairs = [(name.replace("_", "-").encode(), text.encode()) for name, text in headers.items()]
    scope = {"method": method, "path": path, "scheme": "http", "headers": pairs}
    await door(application, state)(scope, None, send)
    return messages[0]["status"], dict(messages[0]["headers"]), messages[1]["body"]


REFUSED = [
    *("/", "/events/7/", "/events/7/queue/", "/events/7/queue/stream", "/events/7/draw/"),
    *("/api/v1/events/", "/api/v1/events/7/", "/api/v1/events/7/queue/", "/accounts/sign-up/"),
]
KEPT = [
    *("/readyz", "/static/app.css", "/admin/console/", "/payments/p-1/", "/orders/", "/tickets/"),
    *("/events/7/seats/", "/events/7/seats/A1/", "/events/7/basket/", "/api/v1/events/7/seats/"),
    *("/api/v1/orders/", "/door/7/", "/media/poster.jpg"),
]


@pytest.mark.parametrize("path", REFUSED)
async def test_newcomers_are_asked_to_come_back(behind, path):
    status, headers, _ = await answered(behind, "GET", path, accept="text/html")

    assert status == 503
    assert 2 <= int(headers[b"retry-after"]) <= 6


@pytest.mark.parametrize("path", KEPT)
async def test_people_inside_and_operators_are_answered(behind, path):
    assert (await answered(behind, "GET", path, accept="text/html"))[0] == 200


@pytest.mark.parametrize(
    "path", ["/api/v1/events/7/queue/", "/api/v1/events/7/queue/claim/", "/events/7/queue/"]
)
async def test_joins_and_claims_are_answered(behind, path):
    assert (await answered(behind, "POST", path))[0] == 200


@pytest.mark.parametrize("path", REFUSED)
async def test_if_only_threads_are_short_what_needs_none_is_answered(state, path):
    for _ in range(13):
        state.page_began()
    state.note(0.0, 0.0)

    doors = [(await answered(state, "GET", path, door))[0] for door in (FrontDoor, PageDoor)]

    assert (state.is_on, state.is_late, doors) == (True, False, [200, 503])


@pytest.mark.parametrize("path", KEPT)
async def test_people_inside_get_a_thread_in_their_turn(behind, path):
    assert (await answered(behind, "GET", path, PageDoor))[0] == 200


@pytest.mark.parametrize("path", REFUSED)
async def test_control_a_process_that_is_not_behind_refuses_nobody(state, path):
    assert (await answered(state, "GET", path))[0] == 200


async def test_programs_get_the_error_shape(behind):
    _, headers, body = await answered(
        behind, "GET", "/api/v1/events/7/queue/", accept_language="en"
    )

    assert headers[b"content-type"] == b"application/json"
    assert body.startswith(b'{"code":"overloaded","message":"We are very busy')


@pytest.mark.parametrize(("language", "text"), [("en", "One moment, please"), ("ko", "잠시만")])
async def test_people_get_a_small_page_in_their_language_that_loads_again(behind, language, text):
    _, headers, body = await answered(
        behind, "GET", "/", accept="text/html", accept_language=language
    )

    page = body.decode()
    assert text in page
    assert f'content="{headers[b"retry-after"].decode()}"' in page
    assert headers[b"content-language"] == language.encode()
    assert b"default-src 'none'; style-src 'sha256-" in headers[b"content-security-policy"]
    assert "light dark" in page
    assert not any(word in page for word in ("<script", "src=", "href=", "SECONDS"))
    assert len(body) < 1_500


# -- when a claim arrived -------------------------------------------------------------------------


async def test_a_claim_arrived_as_long_ago_as_the_event_loop_is_late(behind):
    claim = "/api/v1/events/7/queue/claim/"
    _, headers, _ = await answered(behind, "POST", claim, x_request_start="1")

    names = {name.decode(): value.decode() for name, value in headers.items()}
    now_ms = round(1000 * time.time())
    assert 1_900 < waited_ms(names, now_ms) < 60_000
    assert waited_ms({}, now_ms) == waited_ms({"x-request-start": "t=1"}, now_ms) == 0


# -- counting -------------------------------------------------------------------------------------


async def test_pages_are_counted_until_they_end_however_they_end(state):
    under_way: list[int] = []

    def page(environ: Any, start_response: Any) -> Any:
        under_way.append(state.pages)
        raise ValueError("a mistake")

    async def receive() -> dict[str, Any]:
        return {"type": "http.request"}

    scope = {"method": "GET", "path": "/", "query_string": b"", "http_version": "1.1"}
    threads: Any = PageThreads(page, workers=1, state=state)
    with pytest.raises(ValueError, match="mistake"):
        await threads(scope | {"headers": []}, receive, None)

    assert (under_way, state.pages) == ([1], 0)


# -- sockets --------------------------------------------------------------------------------------


def test_a_few_newcomers_open_their_socket_at_once(state):
    slots = SocketSlots(state)

    assert [slots.take(10.0) for _ in range(round(100 * BURST_SECONDS))] == [0] * 50


def test_a_crowd_is_spread_over_the_next_seconds(state):
    slots = SocketSlots(state)
    waits = [slots.take(10.0) for _ in range(1_050)]

    assert waits == sorted(waits)
    assert waits[-1] == 10_000
    assert slots.take(21.0) == 0  # all have come by then


@pytest.mark.parametrize(
    ("lag", "in_ten_seconds"), [(0.0, 1_000), (0.05, 1_000), (0.1, 500), (0.2, 250), (5.0, 125)]
)
def test_the_later_the_event_loop_is_the_more_they_are_spread(state, lag, in_ten_seconds):
    state.lag = lag
    slots = SocketSlots(state)
    slots.take(10.0)  # as a burst is given at once, count from a moment at which it is used up
    while slots.take(10.0) == 0:
        pass

    waits = [slots.take(10.0) for _ in range(in_ten_seconds)]

    assert waits[-1] - waits[0] == pytest.approx(10_000, rel=0.02)


def test_nobody_waits_for_longer_than_half_a_minute(state):
    slots = SocketSlots(state)

    waits = [slots.take(10.0) for _ in range(20_000)]

    assert max(waits) <= 1_000 * LONGEST_SECONDS
    assert slots.take(10.0 + LONGEST_SECONDS + 1) == 0

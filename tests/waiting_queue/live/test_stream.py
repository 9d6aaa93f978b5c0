"""The same messages as server-sent events, on the real server."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from typing import Any

import httpx
import pytest
from django.conf import settings

from tests.waiting_queue.live.conftest import (
    PATIENCE,
    Fan,
    move,
    publish,
    wait_for_listeners,
    wait_until,
)
from ticketing.core.ttl_cache import clear_ttl_caches
from waiting_queue import services, store


class Stream:
    """An open stream of events."""

    def __init__(self, response: httpx.Response) -> None:
        self.response, self._lines = response, response.iter_lines()

    def next(self, kind: str = "standing") -> dict[str, Any]:
        for frame in self.frames():
            if frame["type"] == kind:
                return frame
        raise AssertionError(f"the stream ended without another {kind}")

    def until(self, **wanted: Any) -> dict[str, Any]:
        while not wanted.items() <= (frame := self.next()).items():
            pass
        return frame

    def frames(self) -> Iterator[dict[str, Any]]:
        for line in self._lines:
            if line:
                assert line.startswith("data: ")
                yield json.loads(line.removeprefix("data: "))


@pytest.fixture
def listen() -> Iterator[Callable[..., Stream]]:
    with ExitStack() as open_ones:

        def opened(fan: Fan, token: str = "", query: str = "", **headers: str) -> Stream:
            shown = (
                {"authorization": f"Bearer {token}"}
                if token
                else {"cookie": f"sessionid={fan.session}"}
            )
            address = f"{fan.served.origin}/events/{fan.event_id}/queue/stream{query}"
            client = open_ones.enter_context(httpx.Client(timeout=PATIENCE, verify=False))
            call = client.stream("GET", address, headers=shown | headers)
            response = open_ones.enter_context(call)
            if response.status_code == 200:
                wait_for_listeners()
            return Stream(response)

        yield opened


@pytest.fixture
def waiting(paused, make_fan) -> list[Fan]:
    fans = [make_fan(paused), make_fan(paused)]
    for fan in fans:
        fan.join()
    return fans


def test_the_same_messages_in_the_same_order(paused, waiting, listen, tick):
    ann, ben = waiting
    stream, page = listen(ben), ben.open()

    by_stream = [stream.next(kind) for kind in ("standing", "outlook", "notice")]
    page.greeted()
    tick()
    ann.leave()
    tick(2)
    moved, moved_page = stream.until(ahead=0, total=1), page.until(ahead=0, total=1)

    differs = {"server_time"}
    assert [{**frame, "server_time": 0} for frame in by_stream] == [
        {**frame, "server_time": 0} for frame in page.frames[:3]
    ]
    assert {key: moved[key] for key in moved.keys() - differs} == {
        key: moved_page[key] for key in moved_page.keys() - differs
    }
    assert stream.response.headers["content-type"] == "text/event-stream"
    assert stream.response.headers["cache-control"] == "no-store"
    assert stream.response.headers["x-accel-buffering"] == "no"


def test_a_call_and_a_message_come_through_a_stream_too(paused, waiting, listen, tick):
    ann, _ = waiting
    stream = listen(ann)
    stream.next("notice")
    services.set_notice(event_id=paused.pk, message="여러 줄\u2003한 줄", by=None, now=tick.now)
    move(paused, "open", tick.now)

    tick(2)
    ready = stream.until(state="READY")
    publish(paused.pk, notice="여러 줄 한 줄")

    assert ready["deadline"]
    assert "여러" in stream.next("notice")["message"]


def test_the_token_of_the_place_opens_a_stream(paused, waiting, listen):
    ann, _ = waiting
    token = listen(ann).next()["token"]

    assert listen(ann, token=token).next()["number"] == 1


@pytest.mark.parametrize(
    ("which", "cookie", "status", "code"),
    [
        ("this", "", 401, "not_logged_in"),
        ("this", "sessionid=nonsense", 401, "not_logged_in"),
        ("none", None, 404, "no_queue"),
    ],
)
def test_a_refusal_is_an_ordinary_answer(paused, make_fan, listen, which, cookie, status, code):
    fan = make_fan(paused if which == "this" else 999_999)
    headers = {"accept-language": "en"} | ({} if cookie is None else {"cookie": cookie})

    response = listen(fan, **headers).response
    response.read()

    assert (response.status_code, response.json()["code"]) == (status, code)
    assert response.headers["content-type"] == "application/json"
    assert response.json()["message"].isascii()


def test_before_the_opening_and_after_the_end_there_is_no_stream(queue, make_fan, listen, tick):
    fan = make_fan(queue)
    before = listen(fan).response
    before.read()
    move(queue, "open", tick.now)
    stream = listen(fan)
    stream.next("notice")
    move(queue, "closed", tick.now)
    tick()
    rest = list(stream.frames())
    clear_ttl_caches()
    after = listen(fan).response
    after.read()

    assert (before.status_code, before.json()["code"]) == (409, "queue_not_open")
    assert rest[-1]["state"] == "CLOSED"
    assert (after.status_code, after.json()["code"]) == (409, "queue_over")


def test_a_client_that_is_gone_is_removed(paused, waiting, listen, served):
    ann, ben = waiting
    one, two = listen(ann), listen(ben)
    one.next("notice"), two.next("notice")
    wait_until(lambda: served.subscribers(paused) == 2)

    one.response.close()

    wait_until(lambda: served.subscribers(paused) == 1)
    assert list(served.hub.topics[paused.pk].people) == [ben.person]


def test_a_server_that_stops_ends_the_stream_with_a_reconnect_frame(
    paused, waiting, listen, served
):
    ann, ben = waiting
    streams = [listen(ann), listen(ben)]
    for stream in streams:
        stream.next("notice")

    served.stop()
    rests = [list(stream.frames()) for stream in streams]

    assert [rest[-1]["type"] for rest in rests] == ["reconnect", "reconnect"]
    assert rests[0][-1]["after_ms"] >= 0


def test_opening_and_being_pushed_to_cost_no_sql(paused, waiting, listen, statements):
    ann, ben = waiting
    statements.clear()

    stream = listen(ben)
    stream.next("notice")
    ann.leave()
    publish(paused.pk)
    stream.until(ahead=0)

    assert statements == []


# -- joining, and the limit of open pages ---------------------------------------------------------

OWN_SITE = {"sec-fetch-site": "same-origin"}


def test_a_stream_can_join_and_does_so_once(paused, make_fan, listen):
    fan = make_fan(paused)

    first = listen(fan, query="?join=1", **OWN_SITE).next()
    again = listen(fan, query="?join=1", **OWN_SITE).next()
    only_looking = listen(make_fan(paused)).next()

    assert (first["state"], first["number"], again["number"]) == ("WAITING", 1, 1)
    assert only_looking["state"] == "NONE"
    assert store.run(store.snapshot(paused.pk))["last_number"] == "1"


def test_another_site_joins_nobody(paused, make_fan, listen):
    fan = make_fan(paused)

    response = listen(fan, query="?join=1", **{"sec-fetch-site": "cross-site"}).response
    response.read()

    assert (response.status_code, response.json()["code"]) == (403, "foreign_origin")
    assert listen(fan, **{"sec-fetch-site": "cross-site"}).next()["state"] == "NONE"


def test_a_token_looks_even_where_it_asks_to_join(paused, waiting, listen):
    ann, _ = waiting
    token = listen(ann).next()["token"]
    ann.leave()

    assert listen(ann, token=token, query="?join=1").next()["state"] == "LEFT"


def test_a_refused_join_is_an_ordinary_answer(queue, make_fan, listen):
    response = listen(make_fan(queue), query="?join=1", **OWN_SITE).response
    response.read()

    assert (response.status_code, response.json()["code"]) == (409, "queue_not_open")


def test_one_person_has_only_so_many_streams(paused, waiting, listen):
    ann, ben = waiting
    streams = [listen(ann) for _ in range(settings.PAGES_PER_PERSON)]
    for stream in streams:
        stream.next("notice")

    refused = listen(ann).response
    refused.read()

    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_pages")
    assert refused.headers["retry-after"]
    assert listen(ben).next()["state"] == "WAITING"

"""A client that sends too much, too slowly or nothing, or reads nothing, loses its connection."""

import asyncio
from collections.abc import AsyncIterator
from typing import Any

import pytest

from tests.ticketing.core.served import Served, served
from ticketing.core import http_protocol

HEAD = b"POST /form HTTP/1.1\r\nHost: x\r\n"


class Application:
    """Reads the body, and answers with its size or with a lot."""

    def __init__(self) -> None:
        self.ends: asyncio.Queue[str] = asyncio.Queue()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        size, more = 0, True
        while more:
            message = await receive()
            if message["type"] == "http.disconnect":
                self.ends.put_nowait("gone")
                return
            size, more = size + len(message["body"]), message["more_body"]
        answer = b"x" * 20_000_000 if scope["path"] == "/large" else b"%d bytes" % size
        await send({"type": "http.response.start", "status": 200, "headers": []})
        await send({"type": "http.response.body", "body": answer, "more_body": True})
        await send({"type": "http.response.body", "body": b""})
        self.ends.put_nowait("answered")


@pytest.fixture
def application() -> Application:
    return Application()


@pytest.fixture
async def site(application: Application) -> AsyncIterator[Served]:
    async with served(application) as site:
        yield site


@pytest.fixture
def impatient(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(http_protocol, "REQUEST_SECONDS", 0.3)
    monkeypatch.setattr(http_protocol, "READ_SECONDS", 0.3)


def is_refused(answer: bytes) -> bool:
    """The kernel drops the answer if more was sent than we have read."""
    return not answer or answer.startswith(b"HTTP/1.1 431 ")


@pytest.mark.parametrize(
    "head",
    [
        b"X: " + b"y" * 20_000 + b"\r\n\r\n",
        b"X: " + b"y" * 400_000,  # without an end
        b"X: y\r\n" * 101 + b"\r\n",
        b"".join(b"X%d: y\r\n" % n for n in range(5_000)),
    ],
)
async def test_a_head_with_too_much_is_refused(site, head):
    assert is_refused(await site.ask(HEAD + head))


async def test_an_address_without_an_end_is_refused(site):
    assert is_refused(await site.ask(b"GET /" + b"x" * 100_000))


async def test_control_a_large_head_within_the_bounds_is_taken(site):
    headers = b"Connection: close\r\nX: " + b"y" * 10_000 + b"\r\n" + b"Y: z\r\n" * 90
    assert b"3 bytes" in await site.ask(HEAD + headers + b"Content-Length: 3\r\n\r\nabc")


@pytest.mark.parametrize(
    "sent",
    [
        b"G",
        b"GET / HTTP/1.1\r\nHost: x\r\nX: y",
        HEAD + b"Content-Length: 10\r\n\r\nabc",
        HEAD + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n",
    ],
)
async def test_a_request_that_does_not_end_is_given_up(site, impatient, sent):
    assert (await site.ask(sent)).startswith(b"HTTP/1.1 408 ")


async def test_a_request_that_trickles_is_given_up(site, application, impatient):
    reader, writer = await site.open(HEAD + b"Content-Length: 1000000\r\n\r\n")

    async def trickle() -> None:
        while not writer.is_closing():
            writer.write(b"x")
            await asyncio.sleep(0.02)

    trickling = asyncio.create_task(trickle())
    assert b" 408 " in await asyncio.wait_for(reader.read(100), 60)
    assert await asyncio.wait_for(application.ends.get(), 60) == "gone"
    trickling.cancel()
    writer.close()


async def test_a_connection_without_a_request_is_closed(site, impatient):
    assert await site.ask(b"") == b""
    assert await site.ask(b"\r\n") in (b"", http_protocol.REFUSED % (408, b"Request Timeout"))


async def test_an_answered_connection_that_sends_empty_lines_is_closed(site, impatient):
    reader, writer = await site.open(HEAD + b"Content-Length: 3\r\n\r\nabc")
    await reader.readuntil(b"0\r\n\r\n")
    writer.write(b"\r\n")

    await asyncio.wait_for(reader.read(), 60)


async def test_more_than_a_body_may_have_is_refused_however_it_is_sent(site, application):
    chunk = b"1000\r\n" + b"x" * 4096 + b"\r\n"
    trailers = b"0\r\n" + b"".join(b"X%d: y\r\n" % n for n in range(30_000))
    chunked = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"

    for sent in (chunked + 60 * chunk, chunked + trailers):
        assert b" 200 " not in await site.ask(sent)
        assert await asyncio.wait_for(application.ends.get(), 60) == "gone"


async def test_a_client_that_reads_nothing_is_given_up(site, application, impatient):
    _, writer = await site.open(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n")

    assert await asyncio.wait_for(application.ends.get(), 60) == "answered"
    writer.close()


async def test_control_a_client_that_reads_gets_all_of_it(site, impatient):
    answer = await site.get("/large")

    assert answer.count(b"x") >= 20_000_000

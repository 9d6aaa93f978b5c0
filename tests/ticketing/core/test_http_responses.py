"""A response is sent in one write, and is what uvicorn would have sent."""

import asyncio
from typing import Any

import pytest

from tests.ticketing.core.served import served
from ticketing.core import http_responses

JSON = (b"content-type", b"application/json")


class Recorded:
    """A transport whose writes are counted."""

    def __init__(self, transport: Any) -> None:
        self.transport, self.writes = transport, list[bytes]()

    def __getattr__(self, name: str) -> Any:
        return getattr(self.transport, name)

    def write(self, data: bytes) -> None:
        self.writes.append(data)
        self.transport.write(data)


class Application:
    """Sends the given messages, and waits for `go_on` before each None."""

    def __init__(self, *messages: Any) -> None:
        self.messages, self.go_on = messages, asyncio.Event()
        self.writes = list[bytes]()

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        recorded = Recorded(send.cycle.transport)
        send.cycle.transport, self.writes = recorded, recorded.writes
        for message in self.messages:
            await (self.go_on.wait() if message is None else send(message))


def start(status: int = 200, *headers: tuple[bytes, bytes]) -> dict[str, Any]:
    return {"type": "http.response.start", "status": status, "headers": list(headers)}


def body(raw: bytes = b"", **more: Any) -> dict[str, Any]:
    return {"type": "http.response.body", "body": raw, **more}


async def answer_of(
    *messages: Any, request: bytes = b"GET / HTTP/1.1", more: bytes = b""
) -> tuple[bytes, list[bytes]]:
    """Everything that a client gets, and what was written for it."""
    application = Application(*messages)
    async with served(application, server_header=False) as site:
        sent = await site.ask(request + b"\r\nHost: x\r\nConnection: close\r\n" + more + b"\r\n")
    return sent, application.writes


async def test_head_and_body_are_one_write():
    sent, writes = await answer_of(start(200, JSON, (b"content-length", b"2")), body(b"{}"))

    assert writes == [sent]
    head, _, rest = sent.partition(b"\r\n\r\n")
    assert rest == b"{}"
    first, date, *others = head.split(b"\r\n")
    assert first == b"HTTP/1.1 200 OK"
    assert date.startswith(b"date: ")
    expected = {b"content-type: application/json", b"content-length: 2", b"connection: close"}
    assert set(others) == expected
    assert len(others) == len(expected)


async def test_control_several_pieces_are_several_writes():
    messages = start(200, JSON), body(b"{", more_body=True), body(b"}")

    sent, writes = await answer_of(*messages)

    assert len(writes) > 1
    assert b"transfer-encoding: chunked" in sent


async def test_a_body_of_unknown_length_gets_its_length():
    sent, writes = await answer_of(start(200, JSON), body(b"[1]"))

    assert b"content-length: 3\r\n" in sent
    assert b"chunked" not in sent
    assert len(writes) == 1


@pytest.mark.parametrize("status", [204, 304])
async def test_a_status_without_a_body_has_no_length(status):
    sent, writes = await answer_of(start(status, (b"etag", b'"x"')), body())

    assert writes == [sent]
    assert b"length" not in sent
    assert sent.endswith(b"\r\n\r\n")


async def test_head_gets_the_length_and_no_body():
    messages = start(200, (b"content-length", b"5")), body()

    sent, _ = await answer_of(*messages, request=b"HEAD / HTTP/1.1")

    assert b"content-length: 5\r\n" in sent
    assert sent.endswith(b"\r\n\r\n")


@pytest.mark.parametrize("length", [b"1", b"3"])
async def test_a_wrong_length_ends_the_connection(length, caplog):
    await answer_of(start(200, (b"content-length", length)), body(b"{}"))  # ends

    assert "than Content-Length" in caplog.text


@pytest.mark.parametrize("bad", [(b"x-a", b"1\r\nset-cookie: a=b"), (b"set-cookie", b"a\r\nb: c")])
async def test_a_header_can_not_bring_another(bad, caplog):
    sent, _ = await answer_of(start(200, bad), body(b"{}"))

    assert sent.startswith(b"HTTP/1.1 500 ")
    assert b"set-cookie" not in sent
    assert b"b: c" not in sent


@pytest.mark.parametrize("method", [b"GET", b"HEAD"])
async def test_a_length_can_not_bring_a_header_either(method, caplog):
    bad = (b"content-length", b"0\r\nset-cookie: a=b")

    sent, _ = await answer_of(start(200, bad), body(), request=method + b" / HTTP/1.1")

    assert b"set-cookie" not in sent
    assert "Exception in ASGI application" in caplog.text


@pytest.mark.parametrize("second", [start(200), {"type": "http.response.trailers"}])
async def test_what_is_no_body_is_an_error(second, caplog):
    sent, _ = await answer_of(start(200, JSON), second)

    assert b"content-length: 0" not in sent
    assert "Expected ASGI message" in caplog.text


async def test_an_error_between_head_and_body_is_told(caplog):
    sent, _ = await answer_of(start(200, JSON), "no message")

    assert sent.startswith(b"HTTP/1.1 500 ")
    assert "Exception in ASGI application" in caplog.text


async def test_a_response_may_close_the_connection():
    application = Application(start(413, (b"connection", b"close")), body(b"no"))
    async with served(application) as site:
        reader, writer = await site.open(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        sent = await asyncio.wait_for(reader.read(), 60)  # until it is closed
        writer.close()

    assert sent.startswith(b"HTTP/1.1 413 ")
    assert sent.lower().count(b"connection: close") == 1


async def test_requests_that_come_together_are_answered_in_turn_on_one_connection():
    application = Application(start(200, JSON), body(b"[1]"))
    request = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    async with served(application) as site:
        reader, writer = await site.open(3 * request)
        for _ in range(3):
            head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
            assert head.startswith(b"HTTP/1.1 200 OK")
            assert await reader.readexactly(3) == b"[1]"
        writer.close()


async def test_the_head_of_a_stream_does_not_wait_for_its_first_event():
    first = body(b"", more_body=True)
    application = Application(start(200, JSON), first, None, body(b"event"))
    async with served(application) as site:
        reader, writer = await site.open(b"GET / HTTP/1.1\r\nHost: x\r\n\r\n")
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        application.go_on.set()
        rest = await asyncio.wait_for(reader.readuntil(b"0\r\n\r\n"), 60)
        writer.close()

    assert b"chunked" in head
    assert b"event" in rest


@pytest.mark.parametrize("name", [b"set-cookie", b"location", b"content-disposition", b"etag"])
def test_what_may_be_secret_is_not_kept(name):
    http_responses._kept_line.cache_clear()

    assert http_responses._line(name, b"secret") == name + b": secret\r\n"
    assert http_responses._kept_line.cache_info().currsize == 0
    http_responses._line(*JSON)
    assert http_responses._kept_line.cache_info().currsize == 1

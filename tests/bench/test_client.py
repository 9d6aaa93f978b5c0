"""The crowd's HTTP client, against a server that answers byte for byte."""

import asyncio
import gzip
import json
import re
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from bench.client import Connection, percentile, request_bytes, wait_for_frame

PACKED = gzip.compress(json.dumps({"a": 1}).encode())


@asynccontextmanager
async def server(*answers: list[bytes]) -> AsyncIterator[str]:
    """Answers each request with the next of these, in parts; an empty one closes."""
    left = list(answers)

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while left and await reader.readuntil(b"\r\n\r\n"):
            parts = left.pop(0)
            for part in parts:
                writer.write(part)
                await writer.drain()
                await asyncio.sleep(0)
            if not parts:
                break
        writer.close()

    listening = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with listening:
        yield f"http://127.0.0.1:{listening.sockets[0].getsockname()[1]}"


def get(connection: Connection) -> bytes:
    return request_bytes("GET", connection.netloc, "/", {})


@pytest.mark.parametrize(
    "parts",
    [
        [b"HTTP/1.1 200 OK\r\nContent-Length: 8\r\n\r\n", b'{"a"', b": 1}"],
        [
            b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n4\r\n",
            b'{"a"\r\n4\r\n: 1}\r\n0\r\n\r\n',
        ],
        [
            b"HTTP/1.1 200 OK\r\ncontent-encoding: gzip\r\ncontent-length: %d\r\n\r\n"
            % len(PACKED),
            PACKED,
        ],
    ],
    ids=["length", "chunks", "gzip"],
)
async def test_a_body_is_read_however_it_comes(parts):
    async with server(parts, parts) as url:
        connection = Connection(url)

        for _ in range(2):  # over the same connection
            response = await connection.ask(get(connection))
            assert (response.status, response.json()) == (200, {"a": 1})
        connection.close()


async def test_an_answer_without_a_body_is_whole():
    async with server([b"HTTP/1.1 304 Not Modified\r\netag: x\r\n\r\n"]) as url:
        connection = Connection(url)

        response = await connection.ask(get(connection))
        assert (response.status, response.size, response.header("etag")) == (304, 0, "x")
        connection.close()


async def test_a_closed_connection_is_an_error_and_the_next_request_opens_another():
    ok = [b"HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n"]
    async with server([], ok) as url:
        connection = Connection(url)

        with pytest.raises(ConnectionError):
            await connection.ask(get(connection))
        assert (await connection.ask(get(connection))).status == 200
        connection.close()


async def test_a_frame_is_waited_for_and_a_refused_handshake_is_an_error():
    upgraded = [
        b"HTTP/1.1 101 Switching\r\n\r\n",
        b'\x81\x10{"state":"WAI',
        b'TING"}{"state":"REA',
        b'DY"}',
    ]
    refused = [b"HTTP/1.1 403 Forbidden\r\ncontent-length: 0\r\n\r\n"]
    wanted: Callable[[str], object] = lambda url: wait_for_frame(  # noqa: E731
        url, "/ws/", {}, re.compile(rb'"state":"READY"')
    )
    async with server(upgraded) as url:
        assert await asyncio.wait_for(wanted(url), 60) == b'"state":"READY"'
    async with server(refused) as url:
        with pytest.raises(ConnectionError):
            await wanted(url)


def test_percentiles_are_in_milliseconds():
    assert percentile([0.003, 0.001, 0.002], 0.5) == 2
    assert percentile([0.001] * 99 + [1.0], 0.99) == 1000
    assert percentile([], 0.95) == 0

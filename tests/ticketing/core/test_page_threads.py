"""Clients that send or read slowly take no page thread, directly and behind nginx."""

import asyncio
from collections.abc import AsyncIterator, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.ticketing.core.served import NGINX, Served, behind_nginx, served
from ticketing.core.overload import Overload
from ticketing.core.page_threads import MOST_UPLOADS, REFUSAL, BodyReader, PageThreads

CHUNKS = 400


class Pages:
    """A WSGI application with a page per kind of response."""

    def __init__(self) -> None:
        self.environs: list[dict[str, Any]] = []
        self.closed = 0

    def __call__(self, environ: dict[str, Any], start_response: Any) -> Any:
        self.environs.append(environ)
        if environ["PATH_INFO"] == "/broken":
            raise ValueError("a mistake")
        start_response("200 OK", [("Content-Type", "text/plain"), ("X-Own", " yes ")])
        return Content(self, environ)


class Content:
    def __init__(self, pages: Pages, environ: dict[str, Any]) -> None:
        self.pages, self.environ = pages, environ

    def __iter__(self) -> Iterator[bytes]:
        if self.environ["PATH_INFO"] == "/large":
            yield from (b"x" * 65_536 for _ in range(CHUNKS))
            return
        body = self.environ["wsgi.input"].read()
        yield f"{REFUSAL in self.environ} {len(body)} bytes".encode()

    def close(self) -> None:
        self.pages.closed += 1


@pytest.fixture
def pages() -> Pages:
    return Pages()


@pytest.fixture
def state() -> Overload:
    return Overload()


@pytest.fixture(params=["directly", "behind nginx"])
async def site(
    request: Any, pages: Pages, state: Overload, tmp_path: Path
) -> AsyncIterator[Served]:
    application = BodyReader(PageThreads(pages, workers=1, state=state))
    async with served(application) as direct:
        if request.param == "directly":
            yield direct
        elif NGINX:
            async with behind_nginx(direct, tmp_path) as proxied:
                yield proxied
        else:
            pytest.skip("nginx is not installed")


def post(path: str, size: int, *more: str) -> bytes:
    lines = [f"POST {path} HTTP/1.1", "Host: x", f"Content-Length: {size}", *more, "", ""]
    return "\r\n".join(lines).encode()


async def test_unfinished_bodies_hold_no_thread(site, pages, state):
    """There is one thread, and forty bodies that never end."""
    slow = [await site.open(post("/form", 1000) + b"half of it") for _ in range(40)]

    answers = await asyncio.gather(*(site.get("/") for _ in range(5)))

    assert all(answer.startswith(b"HTTP/1.1 200 ") for answer in answers)
    assert (len(pages.environs), state.pages) == (5, 0)
    for _, writer in slow:
        writer.close()


async def test_slow_readers_hold_no_thread(site, pages, state):
    """More of them than threads, each with a response that fits no buffer."""
    slow = [await site.open(b"GET /large HTTP/1.1\r\nHost: x\r\n\r\n") for _ in range(5)]
    for reader, _ in slow:
        await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)

    assert (await site.get("/")).startswith(b"HTTP/1.1 200 ")

    for _, writer in slow:
        writer.close()


async def test_a_long_response_arrives_whole_and_is_closed(site, pages):
    answer = await site.get("/large")

    assert answer.count(b"x") >= CHUNKS * 65_536
    assert pages.closed == 1


async def test_a_body_that_is_too_large_is_not_read(site, pages):
    answer = await site.ask(post("/form", 70_000, "Connection: close") + b"x" * 70_000)

    assert b"True 0 bytes" in answer


async def test_an_upload_is_read_whole(site, pages):
    answer = await site.ask(
        post("/admin/plans/", 3_000_000, "Connection: close") + b"x" * 3_000_000
    )

    assert b"False 3000000 bytes" in answer


async def test_a_chunked_body_has_a_length(pages):
    async with served(BodyReader(PageThreads(pages, workers=1))) as site:
        head = b"POST / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n"
        answer = await site.ask(
            head + b"Transfer-Encoding: chunked\r\n\r\n3\r\nabc\r\n2\r\nde\r\n0\r\n\r\n"
        )

    assert b"5 bytes" in answer
    assert pages.environs[0]["CONTENT_LENGTH"] == "5"


async def test_few_uploads_are_read_at_a_time(pages):
    """Each process has places for some; one that ends makes room."""
    async with served(BodyReader(PageThreads(pages, workers=1))) as site:
        head = post("/admin/", 200_000, "Connection: close")
        slow = [await site.open(head + b"x" * 150_000) for _ in range(MOST_UPLOADS)]
        while b"True" not in (refused := await site.ask(head + b"x" * 200_000)):
            pass  # not all of the slow ones were received yet
        for reader, writer in slow:
            writer.write(b"x" * 50_000)
            assert b"200000 bytes" in await asyncio.wait_for(reader.read(), 60)

        assert b"False 200000 bytes" in await site.ask(head + b"x" * 200_000)
    assert b"True 0 bytes" in refused


async def test_a_mistake_is_answered_and_the_thread_goes_on(pages):
    async with served(BodyReader(PageThreads(pages, workers=1))) as site:
        assert (await site.get("/broken")).startswith(b"HTTP/1.1 500 ")
        assert (await site.get("/")).startswith(b"HTTP/1.1 200 ")


async def test_the_environ_is_that_of_the_request(pages):
    async with served(BodyReader(PageThreads(pages, workers=1))) as site:
        await site.ask(
            b"GET /%ED%95%9C?a=%00&%ED HTTP/1.1\r\nHost: x\r\nCookie: a=1\r\n"
            b"Content_Length: 99\r\nX-Two: 1\r\nX-Two: 2\r\nConnection: close\r\n\r\n"
        )

    environ = pages.environs[0]
    assert environ["PATH_INFO"].encode("latin-1").decode() == "/한"
    assert environ["QUERY_STRING"] == "a=%00&%ED"
    assert (environ["HTTP_X_TWO"], environ["REMOTE_ADDR"]) == ("1,2", "127.0.0.1")
    assert "CONTENT_LENGTH" not in environ

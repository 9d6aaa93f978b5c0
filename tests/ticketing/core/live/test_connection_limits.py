"""One address and one session have only so many sockets and streams open in a process."""

import asyncio
import json
from typing import Any

import pytest
from websockets.asyncio.client import connect

from tests.ticketing.core.served import served
from ticketing.core.errors import TooManyConnections
from ticketing.core.fast_path.application import FastPath, route
from ticketing.core.live.connection_limits import ConnectionLimits, SocketLimits
from ticketing.core.live.sockets import PushSocket

HOUSE = ("203.0.113.7", 1)


@pytest.fixture
def limits(settings: Any) -> ConnectionLimits:
    settings.SOCKETS_PER_ADDRESS, settings.SOCKETS_PER_SESSION = 4, 2
    settings.TRUSTED_PROXIES = ["127.0.0.1", "10.0.0.0/8"]
    return ConnectionLimits()


def scope(client: Any = HOUSE, cookie: bytes = b"") -> dict[str, Any]:
    return {"client": client, "headers": [(b"cookie", cookie)] if cookie else []}


def take(limits: ConnectionLimits, times: int, **of: Any) -> list[Any]:
    return [limits.take(scope(**of)) for _ in range(times)]


def test_an_address_has_so_many_and_one_that_ends_makes_room(limits):
    first = take(limits, 4)[0]
    with pytest.raises(TooManyConnections):
        take(limits, 1)

    limits.release(first)

    take(limits, 1)


def test_a_session_has_so_many_at_whatever_address(limits):
    for number in (1, 2):
        take(limits, 1, client=(f"203.0.113.{number}", 1), cookie=b"a=1; sessionid=abc; b=2")

    with pytest.raises(TooManyConnections):
        take(limits, 1, client=("203.0.113.3", 1), cookie=b"sessionid=abc")
    take(limits, 1, client=("203.0.113.3", 1), cookie=b"sessionid=other")


def test_a_household_with_many_addresses_counts_once(limits):
    take(limits, 4, client=("2001:db8:1:2::1", 1))

    with pytest.raises(TooManyConnections):
        take(limits, 1, client=("2001:db8:1:2:ffff::9", 1))
    take(limits, 1, client=("2001:db8:1:3::1", 1))


@pytest.mark.parametrize("address", ["127.0.0.1", "10.1.2.3"])
def test_what_our_own_proxy_does_not_name_is_not_counted(limits, address):
    take(limits, 20, client=(address, 1))


def test_zero_is_no_limit(limits, settings):
    settings.SOCKETS_PER_ADDRESS = settings.SOCKETS_PER_SESSION = 0

    take(limits, 100, cookie=b"sessionid=abc")


def test_nothing_is_kept_of_those_who_left(limits):
    for keys in take(limits, 2, cookie=b"sessionid=abc"):
        limits.release(keys)

    assert not limits._open


async def test_a_stream_is_counted_until_it_ends(limits):
    async def stream(receive: Any, send: Any) -> None:
        raise ConnectionError

    streams = [limits.counted(scope(), stream) for _ in range(4)]
    with pytest.raises(TooManyConnections):
        limits.counted(scope(), stream)
    for each in streams:
        with pytest.raises(ConnectionError):
            await each(None, None)

    limits.counted(scope(), stream)


async def test_a_stream_whose_client_left_before_its_head_is_not_counted(limits):
    async def stream(receive: Any, send: Any) -> None:
        raise AssertionError("its head could not be sent")

    async def answer(request: Any) -> Any:
        return stream

    async def receive() -> Any:
        return {"type": "http.request", "body": b""}

    async def send(message: Any) -> None:
        raise ConnectionError

    asked = scope() | {"type": "http", "method": "GET", "path": "/stream", "scheme": "http"}
    asked |= {"query_string": b"", "headers": [(b"host", b"testserver")]}
    site = FastPath([route("GET", "stream", answer)], None, count_stream=limits.counted)
    with pytest.raises(ConnectionError):
        await site(asked, receive, send)

    assert not limits._open


class Listening(PushSocket):
    async def connect(self) -> None:
        await self.accept()
        await self.send_text('{"type": "hello"}')


async def test_sockets_too_many_are_told_so(limits):
    """Behind a proxy that names the client, as nginx does."""
    application = SocketLimits(Listening.as_asgi(), limits)
    async with served(application, proxy_headers=True, forwarded_allow_ips="127.0.0.1") as site:
        headers = {"X-Forwarded-For": "203.0.113.7"}
        sockets = [
            await connect(f"ws://127.0.0.1:{site.port}/", additional_headers=headers)
            for _ in range(6)
        ]
        frames = [json.loads(await asyncio.wait_for(socket.recv(), 60)) for socket in sockets]
        for socket in sockets:
            await socket.close()

    assert [frame["type"] for frame in frames] == 4 * ["hello"] + 2 * ["error"]
    assert {frame.get("code") for frame in frames[4:]} == {"too_many_connections"}

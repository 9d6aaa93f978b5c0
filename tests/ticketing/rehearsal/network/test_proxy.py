"""The proxy passes everything on, and disturbs it as it is told, with real sockets."""

import asyncio
from collections.abc import AsyncIterator, Awaitable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import pytest

from ticketing.rehearsal.network.control import Network
from ticketing.rehearsal.network.proxy import DOWN, UP, Disturbance, Link

MANY = 300_000  # bytes; more than the buffers of a socket


class Server:
    """Sends back what it is sent, and remembers how its connections ended."""

    def __init__(self) -> None:
        self.received: list[bytes] = []
        self.ends: list[str] = []

    async def echo(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65_536):
                self.received.append(data)
                writer.write(data)
                await writer.drain()
            self.ends.append("end")
        except ConnectionError:
            self.ends.append("reset")
        finally:
            writer.close()


class Client:
    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.reader, self.writer = reader, writer

    def send(self, data: bytes) -> None:
        self.writer.write(data)

    async def ask(self, data: bytes) -> bytes:
        self.send(data)
        return await self.reader.readexactly(len(data))

    async def hears_nothing(self) -> bool:
        try:
            async with asyncio.timeout(0.1):
                await self.reader.read(1)
        except TimeoutError:
            return True
        return False


class Setup:
    def __init__(self, link: Link, server: Server, port: int) -> None:
        self.link, self.server, self.port = link, server, port

    async def connect(self) -> Client:
        return Client(*await asyncio.open_connection("127.0.0.1", self.port))


@asynccontextmanager
async def proxied(path: Path | None = None) -> AsyncIterator[Setup]:
    server = Server()
    if path:
        listener: Any = await asyncio.start_unix_server(server.echo, path)
        address = str(path)
    else:
        listener = await asyncio.start_server(server.echo, "127.0.0.1", 0)
        address = f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
    link = Link(address)
    try:
        yield Setup(link, server, await link.listen())
    finally:
        link.close()
        listener.close()


async def until(condition: Any) -> None:
    async with asyncio.timeout(10):
        while not condition():
            await asyncio.sleep(0.01)


async def soon(awaited: Awaitable[Any]) -> Any:
    async with asyncio.timeout(10):
        return await awaited


@pytest.mark.parametrize("is_unix", [False, True])
async def test_everything_is_passed_on_in_order(tmp_path: Path, is_unix: bool) -> None:
    async with proxied(tmp_path / "s" if is_unix else None) as setup:
        client, data = await setup.connect(), bytes(range(256)) * (MANY // 256)

        assert await soon(client.ask(data)) == data
        client.writer.write_eof()
        assert await soon(client.reader.read()) == b""
        await until(lambda: not setup.link.connections)
        assert setup.server.ends == ["end"]


async def test_a_server_that_is_away_is_a_reset() -> None:
    link = Link("/nonexistent/socket")
    client = Client(*await asyncio.open_connection("127.0.0.1", await link.listen()))

    with pytest.raises(ConnectionError):
        await soon(client.reader.read())
    link.close()


async def test_a_delay_keeps_the_order() -> None:
    async with proxied() as setup:
        client, loop = await setup.connect(), asyncio.get_running_loop()
        setup.link.disturb(Disturbance("delay", 0.1))
        began = loop.time()

        for number in range(10):
            client.send(b"%d" % number)
            await asyncio.sleep(0)

        assert await soon(client.reader.readexactly(10)) == b"0123456789"
        assert loop.time() - began >= 0.2  # there and back


async def test_a_delay_that_ends_lets_everything_through_at_once() -> None:
    async with proxied() as setup:
        client = await setup.connect()
        setup.link.disturb(Disturbance("delay", 1000))
        client.send(b"hello")
        assert await client.hears_nothing()

        setup.link.disturb(None)

        assert await soon(client.reader.readexactly(5)) == b"hello"


@pytest.mark.parametrize("directions", [(UP, DOWN), (UP,), (DOWN,)])
async def test_a_stall_holds_everything_until_it_is_over(directions: tuple[str, ...]) -> None:
    async with proxied() as setup:
        client = await setup.connect()
        assert await soon(client.ask(b"before")) == b"before"
        setup.link.disturb(Disturbance("stall", directions=directions))
        newcomer = await setup.connect()
        for each in (client, newcomer):
            each.send(b"hello")
        assert await client.hears_nothing()
        assert (b"hello" in setup.server.received) == (UP not in directions)

        setup.link.disturb(None)

        for each in (client, newcomer):
            assert await soon(each.reader.readexactly(5)) == b"hello"


async def test_whoever_gives_up_during_a_stall_is_heard_after_it() -> None:
    """What they had asked for is done then, although nobody waits for it any more."""
    async with proxied() as setup:
        client = await setup.connect()
        setup.link.disturb(Disturbance("stall"))
        client.send(b"late")
        client.writer.close()
        await asyncio.sleep(0.05)
        assert not setup.server.received
        assert not setup.server.ends

        setup.link.disturb(None)

        await until(lambda: setup.server.ends)
        assert setup.server.received == [b"late"]
        await until(lambda: not setup.link.connections)


async def test_a_cut_resets_everybody_and_refuses_newcomers() -> None:
    async with proxied() as setup:
        client = await setup.connect()
        assert await soon(client.ask(b"before")) == b"before"

        setup.link.disturb(Disturbance("cut"))

        with pytest.raises(ConnectionError):
            await soon(client.reader.readexactly(1))
        newcomer = await setup.connect()
        with pytest.raises(ConnectionError):
            await soon(newcomer.reader.read(1))
        setup.link.disturb(None)
        assert await soon((await setup.connect()).ask(b"after")) == b"after"


@pytest.mark.parametrize(("direction", "is_heard"), [(DOWN, True), (UP, False)])
async def test_a_cut_in_one_direction_loses_the_request_or_its_answer(
    direction: str, is_heard: bool
) -> None:
    async with proxied() as setup:
        client = await setup.connect()
        assert await soon(client.ask(b"before")) == b"before"
        setup.link.disturb(Disturbance("cut", directions=(direction,)))

        client.send(b"commit")

        with pytest.raises(ConnectionError):
            await soon(client.reader.readexactly(1))
        await until(lambda: setup.server.ends)
        assert (b"commit" in setup.server.received) == is_heard


@pytest.mark.parametrize("direction", [UP, DOWN])
async def test_a_half_closed_connection_ends_on_one_side(direction: str) -> None:
    async with proxied() as setup:
        client = await setup.connect()
        assert await soon(client.ask(b"before")) == b"before"

        setup.link.disturb(Disturbance("half_close", directions=(direction,)))

        if direction == DOWN:
            assert await soon(client.reader.read()) == b""
            client.send(b"unanswered")
            await until(lambda: b"unanswered" in setup.server.received)
        else:
            await until(lambda: setup.server.ends == ["end"])


async def test_a_throttled_link_lets_so_many_bytes_through() -> None:
    async with proxied() as setup:
        client, loop = await setup.connect(), asyncio.get_running_loop()
        setup.link.disturb(Disturbance("throttle", 20_000, (UP,)))
        began = loop.time()

        assert await soon(client.ask(b"x" * 10_000)) == b"x" * 10_000

        assert loop.time() - began >= 0.4


async def test_a_stalled_sender_has_to_wait() -> None:
    """The proxy keeps a bounded part of what it must not pass on."""
    async with proxied() as setup:
        client = await setup.connect()
        setup.link.disturb(Disturbance("stall"))
        client.send(b"x" * (64 << 20))

        with pytest.raises(TimeoutError):
            async with asyncio.timeout(0.5):
                await client.writer.drain()
        assert not setup.server.received


def test_there_is_no_other_disturbance() -> None:
    with pytest.raises(ValueError, match="explode"):
        Disturbance("explode")


def test_a_proxy_of_its_own_process_is_told_what_to_do() -> None:
    async def scenario() -> None:
        server = Server()
        listener = await asyncio.start_server(server.echo, "127.0.0.1", 0)
        address = f"127.0.0.1:{listener.sockets[0].getsockname()[1]}"
        network = await asyncio.to_thread(Network, {"a": address, "b": address})
        try:
            a, b = [
                Client(*await asyncio.open_connection("127.0.0.1", network.ports[name]))
                for name in ("a", "b")
            ]
            assert await soon(a.ask(b"1")) == await soon(b.ask(b"1")) == b"1"
            await asyncio.to_thread(network.disturb, ["a"], "stall", directions=["up"])
            a.send(b"2")
            assert await soon(b.ask(b"2")) == b"2"
            assert await a.hears_nothing()
            await asyncio.to_thread(network.restore)
            assert await soon(a.reader.readexactly(1)) == b"2"
        finally:
            await asyncio.to_thread(network.stop)
            listener.close()

    asyncio.run(scenario())

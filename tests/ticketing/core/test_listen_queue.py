"""Connections that wait in the kernel's listen queue are accepted, however busy the loop is."""

import asyncio
import errno
import socket
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from typing import Any

import pytest
import uvloop

from ticketing.core import listen_queue
from ticketing.core.listen_queue import PER_TURN, Acceptor

WAITING = 20
TURNS = 6  # of the event loop: one accepts, the next ones make the protocols


class ShortOfFiles(socket.socket):
    """Fails once, as a process does that has no file descriptor left."""

    fails = True

    def accept(self) -> tuple[socket.socket, Any]:
        if self.fails:
            self.fails = False
            raise OSError(errno.EMFILE, "Too many open files")
        return super().accept()


class Greeter(asyncio.Protocol):
    """Counts connections, and answers so that clients notice."""

    def __init__(self, met: list[Any]) -> None:
        self.met = met

    def connection_made(self, transport: Any) -> None:
        self.met.append(transport.get_extra_info("peername"))
        transport.write(b"hello")
        transport.close()


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with ShortOfFiles() as listening:
        listening.fails = False
        listening.bind(("127.0.0.1", 0))
        listening.listen(100)
        yield listening


@pytest.fixture
def people(listener: socket.socket) -> Iterator[list[socket.socket]]:
    """Connected as far as the kernel is concerned."""
    with ExitStack() as opened:
        yield [
            opened.enter_context(socket.create_connection(listener.getsockname()))
            for _ in range(WAITING)
        ]


def met_after(turns: int, listen: Callable[[list[Any]], Awaitable[Any]]) -> int:
    met: list[Any] = []

    async def main() -> int:
        server = await listen(met)
        for _ in range(turns):
            await asyncio.sleep(0)
        count = len(met)
        server.close()
        await server.wait_closed()
        return count

    return uvloop.run(main())


def test_all_who_wait_are_accepted_in_one_turn(listener, people):
    async def listen(met: list[Any]) -> Acceptor:
        return Acceptor(listener, lambda: Greeter(met))

    assert len(people) < PER_TURN
    assert met_after(TURNS, listen) == WAITING


def test_control_uvloop_accepts_one_a_turn(listener, people):
    async def listen(met: list[Any]) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: Greeter(met), sock=listener)

    assert met_after(TURNS, listen) <= TURNS + 1


def test_whoever_finds_no_file_descriptor_left_is_accepted_later(listener, monkeypatch, caplog):
    monkeypatch.setattr(listen_queue, "PAUSE_SECONDS", 0.01)
    listener.fails = True

    async def main() -> bytes:
        acceptor = Acceptor(listener, lambda: Greeter([]))
        reader, writer = await asyncio.open_connection(*listener.getsockname())
        answer = await asyncio.wait_for(reader.read(), 10)
        writer.close()
        acceptor.close()
        return answer

    assert uvloop.run(main()) == b"hello"
    assert "Too many open files" in caplog.text


def test_nobody_is_accepted_after_it_was_closed(listener):
    async def main() -> None:
        acceptor = Acceptor(listener, lambda: Greeter([]))
        address = listener.getsockname()
        acceptor.close()
        await acceptor.wait_closed()
        with pytest.raises(ConnectionRefusedError):
            await asyncio.open_connection(*address)

    uvloop.run(main())

"""Connections that wait in the kernel's listen queue are accepted, however busy the loop is."""

import asyncio
import errno
import socket
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import ExitStack
from functools import partial
from typing import Any

import pytest
import uvloop

from tests.waiting import PATIENCE
from ticketing.core import listen_queue
from ticketing.core.listen_queue import OTHERS_SECONDS, Acceptor

WAITING = 60
TURNS = 16  # of the event loop: every other accepts, namely 1, 2, 4, 8, 16 and 29
BUSY_SECONDS = 5 * OTHERS_SECONDS  # that a turn takes


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
    """How many a busy loop has met after so many turns."""
    met: list[Any] = []

    async def main() -> int:
        server = await listen(met)
        for _ in range(turns):
            time.sleep(BUSY_SECONDS)
            await asyncio.sleep(0)
        count = len(met)
        server.close()
        await server.wait_closed()
        return count

    return uvloop.run(main())


def test_all_who_wait_are_accepted_in_a_few_turns(listener, people):
    async def listen(met: list[Any]) -> Acceptor:
        return Acceptor(listener, lambda: Greeter(met))

    assert met_after(TURNS, listen) == WAITING


def test_control_uvloop_accepts_one_a_turn(listener, people):
    async def listen(met: list[Any]) -> Any:
        loop = asyncio.get_running_loop()
        return await loop.create_server(lambda: Greeter(met), sock=listener)

    assert met_after(TURNS, listen) <= TURNS + 1


def shares_of_two(listener: socket.socket, batch: int) -> list[int]:
    """How many each of two acceptors got, as two processes that wake up at the same time."""
    met: list[list[Any]] = [[], []]

    async def main() -> None:
        acceptors = [Acceptor(listener.dup(), partial(Greeter, its)) for its in met]
        for acceptor in acceptors:
            acceptor._batch = batch
        async with asyncio.timeout(PATIENCE):
            while sum(map(len, met)) < WAITING:
                await asyncio.sleep(0)
        for acceptor in acceptors:
            acceptor.close()

    uvloop.run(main())
    return sorted(map(len, met))


def test_few_that_come_together_are_shared_by_the_processes(listener, people):
    assert shares_of_two(listener, batch=1)[0] >= WAITING // 4


def test_control_in_large_batches_the_first_process_takes_all(listener, people):
    assert shares_of_two(listener, batch=WAITING) == [0, WAITING]


@pytest.mark.parametrize("burst", [1, 3, 5, 7])
def test_every_burst_begins_with_one(listener, burst):
    async def main() -> int:
        met: list[Any] = []
        acceptor = Acceptor(listener, lambda: Greeter(met))
        for count in (burst, 2 * burst):
            clients = [socket.create_connection(listener.getsockname()) for _ in range(burst)]
            async with asyncio.timeout(PATIENCE):
                while len(met) < count or acceptor._pause:
                    await asyncio.sleep(0)
            assert acceptor._batch == 1
            for client in clients:
                client.close()
        acceptor.close()
        return len(met)

    assert uvloop.run(main()) == 2 * burst


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

"""The storm's crowd: generators over raw sockets, against a server that answers byte for byte."""

import select
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest

from bench.client_loop import SO_TIMESTAMPNS, TIMESTAMP, ClientLoop, Connection, Steps
from bench.storm_connections import HttpConnection, SocketConnection
from tests.waiting import wait_until

ANSWER = b'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 8\r\n\r\n{"a": 1}'
OPENED = b"HTTP/1.1 101 Switching Protocols\r\n\r\n"
WAITING, READY = (b'{"state":"%b"}' % state for state in (b"WAITING", b"READY"))


@contextmanager
def server(*parts: bytes) -> Iterator[int]:
    """Sends these, each in a packet of its own, when something was received; then closes."""

    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            connection.recv(1024)
            for part in parts:
                connection.sendall(part)

    with socket.create_server(("127.0.0.1", 0)) as listener:
        thread = threading.Thread(target=serve)
        thread.start()
        yield listener.getsockname()[1]
        thread.join(10)


def run(steps: Steps, loop: ClientLoop, at: float = 0.0) -> None:
    loop.start(steps, at)
    loop.run(time.time() + 10)
    if loop.failures:
        raise loop.failures[0]


def asking(loop: ClientLoop, port: int, answers: list[Any]) -> Steps:
    connection = HttpConnection(loop, port, "127.0.0.1")
    while True:
        try:
            answers.append((yield connection.ask(b"GET / HTTP/1.1\r\n\r\n")))
        except ConnectionError as failure:
            answers.append(failure)
            return


def test_an_answer_in_parts_and_a_connection_that_ends():
    loop, answers = ClientLoop(), list[Any]()

    with server(ANSWER[:30], ANSWER[30:-3], ANSWER[-3:]) as port:
        run(asking(loop, port, answers), loop)

    answer, failure = answers
    assert (answer.status, answer.body) == (200, {"a": 1})
    assert isinstance(failure, ConnectionError)
    assert not loop.connections


def test_nobody_listens():
    loop, answers = ClientLoop(), list[Any]()
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]

    run(asking(loop, port, answers), loop)

    assert isinstance(answers[0], ConnectionRefusedError | BrokenPipeError | ConnectionResetError)


def wait_for_all_of(answered: socket.socket) -> None:
    """Up to the end of the connection: the kernel keeps the time of the last part."""
    poll = select.poll()
    poll.register(answered, select.POLLRDHUP)
    poll.poll(60_000)


@pytest.fixture
def arrival_times() -> Iterator[None]:
    """The kernel notes arrivals from a moment after the first socket that asks for it."""
    with socket.socket(type=socket.SOCK_DGRAM) as asking:
        asking.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        asking.bind(("127.0.0.1", 0))

        def is_noted() -> bool:
            asking.sendto(b"now", asking.getsockname())
            sent = time.time()
            time.sleep(0.01)  # a time that is only made up when it is read would be later than this
            _, [(_, _, stamp)], _, _ = asking.recvmsg(8, 64)
            seconds, nanoseconds = TIMESTAMP.unpack(stamp)
            return seconds + nanoseconds / 1e9 < sent + 0.01

        wait_until(is_noted)
        yield


def test_what_is_read_late_did_not_arrive_late(arrival_times):
    loop, arrived = ClientLoop(), list[float]()

    def steps(port: int) -> Steps:
        connection = HttpConnection(loop, port, "127.0.0.1")
        connection.ask(b"GET / HTTP/1.1\r\n\r\n")
        wait_for_all_of(connection.socket)
        here = time.time()
        while time.time() < here + 0.1:  # a crowd that is busy elsewhere
            pass
        answer = yield connection
        arrived.append(answer.at - here)

    with server(ANSWER) as port:
        run(steps(port), loop)

    assert arrived[0] <= 0
    assert loop.read_lags[-1] >= 0.1


def listening(loop: ClientLoop, port: int, told: list[bytes]) -> Steps:
    connection = SocketConnection(loop, port, "127.0.0.1", told.append)
    connection.send(b"GET /ws HTTP/1.1\r\n\r\n")
    while not connection.ended:
        yield connection
    told.append(connection.ended)
    connection.close()


def test_frames_are_read_until_the_waiting_ends():
    loop, told = ClientLoop(), list[bytes]()
    frames = [bytes([0x81, len(text)]) + text for text in (WAITING, WAITING, READY)]

    with server(OPENED + frames[0][:5], frames[0][5:], frames[1] + frames[2]) as port:
        run(listening(loop, port, told), loop)

    assert told == [WAITING, WAITING, READY, b"READY"]


def test_times_come_in_order():
    loop, order = ClientLoop(), list[str]()

    def steps(name: str, *times: float) -> Iterator[float | Connection]:
        for at in times:
            yield at
            order.append(name)

    now = time.time()
    loop.start(steps("late", now + 0.06), now)  # type: ignore[arg-type]
    loop.start(steps("early", now + 0.02, now + 0.04), now)  # type: ignore[arg-type]
    loop.run(now + 10)

    assert order == ["early", "early", "late"]

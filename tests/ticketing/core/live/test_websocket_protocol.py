"""Our websockets speak RFC 6455 with real clients, and with hostile ones."""

import asyncio
import socket
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from typing import Any

import pytest
import uvicorn
from websockets.asyncio.client import connect
from websockets.exceptions import ConnectionClosed, InvalidStatus

from ticketing.core.live.send_buffer import SendBuffer
from ticketing.core.live.websocket_protocol import SEVERAL, PushProtocol

KEY = "dGhlIHNhbXBsZSBub25jZQ=="
ACCEPTED = b"sec-websocket-accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo="  # the RFC's own example
MASK = bytes(4)


@dataclass
class Application:
    """Accepts, and does what a test says to each socket."""

    scopes: list[dict[str, Any]] = field(default_factory=list)
    events: asyncio.Queue[dict[str, Any]] = field(default_factory=asyncio.Queue)
    sends: asyncio.Queue[Any] = field(default_factory=asyncio.Queue)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        self.scopes.append(scope)
        self.sends.put_nowait(send)
        while True:
            event = await receive()
            self.events.put_nowait(event)
            if event["type"] == "websocket.connect" and "/silent" in scope["path"]:
                continue
            if event["type"] == "websocket.connect" and "/refused" in scope["path"]:
                await send({"type": "websocket.close"})
            elif event["type"] == "websocket.connect" and "/broken" in scope["path"]:
                raise ValueError("a mistake")
            elif event["type"] == "websocket.connect":
                offered = scope["subprotocols"]
                chosen = offered[-1] if offered else None
                await send({"type": "websocket.accept", "subprotocol": chosen})
            elif event["type"] == "websocket.disconnect":
                return

    async def next(self, kind: str) -> dict[str, Any]:
        while (event := await asyncio.wait_for(self.events.get(), 60))["type"] != kind:
            pass
        return event


@dataclass
class Running:
    application: Application
    port: int
    server: uvicorn.Server

    @property
    def url(self) -> str:
        return f"ws://localhost:{self.port}"

    async def asked(self, *more: str, path: str, key: str = KEY, version: str = "13") -> Any:
        """A connection that has sent its handshake."""
        lines = [f"GET {path} HTTP/1.1", "Host: localhost", "Upgrade: websocket"]
        lines += ["Connection: keep-alive, Upgrade", f"Sec-WebSocket-Key: {key}"]
        lines += [f"Sec-WebSocket-Version: {version}", *more, "", ""]
        reader, writer = await asyncio.open_connection("127.0.0.1", self.port)
        writer.write("\r\n".join(lines).encode())
        return reader, writer

    async def raw(self, *more: str, path: str = "/ws/", **choices: str) -> Any:
        reader, writer = await self.asked(*more, path=path, **choices)
        head = await asyncio.wait_for(reader.readuntil(b"\r\n\r\n"), 60)
        return head, reader, writer


@pytest.fixture
async def running(request: pytest.FixtureRequest) -> AsyncIterator[Running]:
    application, choices = Application(), getattr(request, "param", {})
    with socket.create_server(("127.0.0.1", 0)) as listener:
        config = uvicorn.Config(
            application, ws=PushProtocol, lifespan="off", log_config=None, **choices
        )
        server = uvicorn.Server(config)
        serving = asyncio.create_task(server.serve([listener]))
        while not server.started:
            await asyncio.sleep(0)
        yield Running(application, listener.getsockname()[1], server)
        server.should_exit = True
        await asyncio.wait_for(serving, 60)


async def send(running: Running, text: str) -> None:
    sending = await asyncio.wait_for(running.application.sends.get(), 60)
    await sending({"type": "websocket.send", "text": text})
    running.application.sends.put_nowait(sending)


async def test_texts_of_every_length_arrive(running):
    async with connect(f"{running.url}/ws/?a=1") as client:
        await running.application.next("websocket.connect")
        for size in (0, 1, 125, 126, 65_535, 65_536, 300_000):
            text = "가" * (size // 3) + "x" * (size % 3)
            await send(running, text)
            assert await asyncio.wait_for(client.recv(), 60) == text

    scope = running.application.scopes[0]
    assert (scope["path"], scope["query_string"], scope["scheme"]) == ("/ws/", b"a=1", "ws")
    assert dict(scope["headers"])[b"host"] == f"localhost:{running.port}".encode()


async def test_several_texts_arrive_in_order_from_one_write(running, monkeypatch):
    writes = []
    original = PushProtocol._write
    monkeypatch.setattr(
        PushProtocol, "_write", lambda self, data: (writes.append(data), original(self, data))
    )
    async with connect(f"{running.url}/ws/") as client:
        await running.application.next("websocket.connect")
        assert SEVERAL in running.application.scopes[0]["extensions"]
        sending = await asyncio.wait_for(running.application.sends.get(), 60)
        writes.clear()
        for _ in range(2):  # the second time from what is kept
            message = {"type": "websocket.send", "text": "own", SEVERAL: ("가" * 100, "shared")}
            await sending(message)
            texts = [await asyncio.wait_for(client.recv(), 60) for _ in range(3)]
            assert texts == ["own", "가" * 100, "shared"]

    assert len([data for data in writes if b"own" in data]) == 2


async def test_the_answer_to_the_handshake_goes_out_before_any_text(running):
    """Also if the application says nothing after it."""
    head, reader, writer = await running.raw()
    await send(running, "hello")

    assert head.endswith(b"\r\n\r\n")
    assert await asyncio.wait_for(reader.readexactly(7), 60) == b"\x81\x05hello"
    writer.close()


async def test_the_answer_to_the_handshake_is_that_of_the_rfc(running):
    head, _, writer = await running.raw("Sec-WebSocket-Protocol: other, qr_abc.def")

    assert head.startswith(b"HTTP/1.1 101 ")
    assert ACCEPTED in head
    assert b"sec-websocket-protocol: qr_abc.def" in head
    assert running.application.scopes[0]["subprotocols"] == ["other", "qr_abc.def"]
    writer.close()


@pytest.mark.parametrize(
    ("change", "status"),
    [({"key": "short"}, b"400"), ({"key": "?" * 24}, b"400"), ({"version": "8"}, b"426")],
)
async def test_a_wrong_handshake_is_refused(running, change, status):
    head, _, writer = await running.raw(**change)

    assert head.startswith(b"HTTP/1.1 " + status)
    assert running.application.scopes == []
    writer.close()


@pytest.mark.parametrize(("path", "status"), [("/refused", 403), ("/broken", 500)])
async def test_a_socket_that_is_not_accepted_gets_a_status(running, path, status):
    with pytest.raises(InvalidStatus) as refused:
        await connect(running.url + path)

    assert refused.value.response.status_code == status


async def test_a_close_from_the_server_has_its_code_and_the_client_answers(running):
    async with connect(f"{running.url}/ws/") as client:
        sending = await running.application.sends.get()
        await running.application.next("websocket.connect")
        await sending({"type": "websocket.close", "code": 4404})

        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(client.recv(), 60)

    told = await running.application.next("websocket.disconnect")
    assert (client.close_code, told["code"]) == (4404, 4404)


async def test_a_close_from_the_client_is_answered_and_told(running):
    client = await connect(f"{running.url}/ws/")
    await client.close(3001)

    assert (await running.application.next("websocket.disconnect"))["code"] == 3001
    assert client.close_code == 3001


async def test_a_client_that_vanishes_is_told_as_a_disconnect(running):
    _, _, writer = await running.raw()
    writer.transport.abort()

    await running.application.next("websocket.disconnect")
    assert not running.server.server_state.connections


async def test_a_ping_is_answered_also_in_pieces(running):
    _, reader, writer = await running.raw()
    for byte in b"\x89\x83\x01\x02\x03\x04" + bytes([ord("a") ^ 1, ord("b") ^ 2, ord("c") ^ 3]):
        writer.write(bytes([byte]))
        await writer.drain()

    assert await asyncio.wait_for(reader.readexactly(5), 60) == b"\x8a\x03abc"
    writer.close()


@pytest.mark.parametrize(
    "frame",
    [
        b"\x81\x81" + MASK + b"x",  # a text
        b"\x01\x81" + MASK + b"x",  # the beginning of one
        b"\x82\xff" + (2**62).to_bytes(8, "big") + MASK,  # more than anybody can store
    ],
)
async def test_a_message_is_told_at_once_and_its_rest_is_not_read(running, frame):
    _, _, writer = await running.raw()
    writer.write(frame)

    await running.application.next("websocket.receive")
    (protocol,) = running.server.server_state.connections
    assert protocol._rest == b""
    writer.close()


@pytest.mark.parametrize(
    "frame",
    [
        b"\x89\x00",  # not masked
        b"\xc9\x80" + MASK,  # an extension that nobody agreed on
        b"\x09\x80" + MASK,  # a ping in parts
        b"\x89\xfe\x00\x80" + MASK,  # a long ping
    ],
)
async def test_a_frame_against_the_rules_ends_the_socket(running, frame):
    _, reader, writer = await running.raw()
    writer.write(frame)

    assert await asyncio.wait_for(reader.read(), 60) == b"\x88\x02\x03\xea"
    assert (await running.application.next("websocket.disconnect"))["code"] == 1002
    writer.close()


async def test_unfinished_frames_take_no_room(running):
    """Twenty sockets announce 16 MB each and send a part of it."""
    announced = bytes((0x82, 0x80 | 127)) + (16 * 2**20).to_bytes(8, "big") + MASK
    sockets = [await running.raw() for _ in range(20)]
    for _, _, writer in sockets:
        writer.write(announced + bytes(200_000))
    for _ in sockets:
        await running.application.next("websocket.receive")

    kept = [len(socket._rest) for socket in running.server.server_state.connections]
    assert (len(kept), sum(kept)) == (20, 0)
    for _, _, writer in sockets:
        writer.close()


@pytest.mark.parametrize(
    "running", [{"ws_ping_interval": 0.05, "ws_ping_timeout": 0.05}], indirect=True
)
async def test_a_client_that_answers_no_ping_is_closed(running):
    _, reader, writer = await running.raw()

    received = await asyncio.wait_for(reader.read(), 60)

    assert received.startswith(b"\x89\x00")
    assert received.endswith(b"\x88\x02\x03\xf3")
    writer.close()


@pytest.mark.parametrize(
    "running", [{"ws_ping_interval": 60, "ws_ping_timeout": 60}], indirect=True
)
async def test_a_client_that_answers_pings_stays(running):
    async with connect(f"{running.url}/ws/") as client:
        await running.application.next("websocket.connect")
        (protocol,) = running.server.server_state.connections
        for _ in range(3):
            await answered_ping(protocol)
        await send(running, "still there")

        assert await asyncio.wait_for(client.recv(), 60) == "still there"


async def answered_ping(protocol: PushProtocol) -> None:
    """What its timers do, without the time between."""
    protocol._ping()
    assert protocol._is_quiet
    while protocol._is_quiet:
        await asyncio.sleep(0.001)
    protocol._check_pong()


async def test_a_slow_client_makes_only_its_own_sends_wait(running):
    _, reader, writer = await running.raw()
    writer.transport.pause_reading()
    (protocol,) = running.server.server_state.connections
    text = "x" * 60_000

    class Open:
        def send_text(self, text: str) -> Any:
            return protocol.send({"type": "websocket.send", "text": text})

    buffer = SendBuffer(Open())  # type: ignore[arg-type]
    for _ in range(10_000):
        buffer.push("standing", text)
        if buffer.is_behind:
            break
    assert buffer.is_behind
    buffer.push("standing", "the newest")
    writer.transport.resume_reading()

    while buffer.is_behind:
        await reader.read(1_000_000)
    buffer.close()
    writer.close()


async def test_a_server_that_stops_closes_its_sockets(running):
    async with connect(f"{running.url}/ws/") as client:
        await running.application.next("websocket.connect")
        (protocol,) = running.server.server_state.connections
        while not protocol.is_accepted:
            await asyncio.sleep(0)
        protocol.shutdown()

        with pytest.raises(ConnectionClosed):
            await asyncio.wait_for(client.recv(), 60)

    assert client.close_code == 1012


async def test_a_client_who_leaves_before_the_answer_is_not_answered(running, monkeypatch):
    """Writing to a closed connection is an error with uvloop."""
    refused, ended = [], asyncio.Event()
    run = PushProtocol._run

    async def watched(protocol: PushProtocol) -> None:
        await run(protocol)
        ended.set()

    monkeypatch.setattr(PushProtocol, "_run", watched)
    monkeypatch.setattr(PushProtocol, "_refuse", lambda *args: refused.append(args))
    _, writer = await running.asked(path="/silent/")
    await running.application.next("websocket.connect")
    writer.close()
    await asyncio.wait_for(ended.wait(), 60)

    assert refused == []

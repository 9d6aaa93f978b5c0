"""A user's websocket understands a server that is not ours, and one that sends in pieces."""

import asyncio

import pytest
from aiohttp import WSMsgType, web

from ticketing.rehearsal.simulator.history import steady_time
from ticketing.rehearsal.simulator.users.http_client import UserHttpClient
from ticketing.rehearsal.simulator.users.user_socket import UserSocket

LENGTHS = (0, 1, 125, 126, 65_535, 65_536, 200_000)


class Site:
    """Sends what a test says, and keeps what it receives."""

    def __init__(self):
        self.connections, self.received = asyncio.Queue(), asyncio.Queue()

    async def socket(self, request):
        if "refused" in request.query:
            return web.Response(status=403, body=b"x" * 500)
        socket = web.WebSocketResponse(autoping=False, protocols=request.query.getall("p", ()))
        await socket.prepare(request)
        if first := request.query.get("first"):
            await socket.send_str(first)
        self.connections.put_nowait(socket)
        async for message in socket:
            self.received.put_nowait(message)
        self.received.put_nowait(socket.close_code)
        return socket


@pytest.fixture
async def site():
    return Site()


@pytest.fixture
async def http(site):
    app = web.Application()
    app.router.add_get("/ws/", site.socket)
    runner = web.AppRunner(app, shutdown_timeout=0.1)
    await runner.setup()
    listening = web.TCPSite(runner, "127.0.0.1", 0)
    await listening.start()
    async with UserHttpClient(listening.name, people=1, now=steady_time) as client:
        yield client
    await runner.cleanup()


async def opened(http, path="/ws/", **more):
    return await http.socket(path, ip_index=0, headers={}, **more)


async def soon(waiting):
    return await asyncio.wait_for(waiting, 60)


async def test_texts_of_every_length_are_handed_over_in_order(site, http):
    socket, texts = await opened(http), []
    socket.listen(lambda text: texts.append(text) or len(texts) < len(LENGTHS))
    server = await soon(site.connections.get())
    sent = ["가" * (length // 3) + "x" * (length % 3) for length in LENGTHS]

    for text in sent:
        await server.send_str(text)
    await soon(socket.ended)

    assert texts == sent
    await socket.close()


async def test_what_comes_before_somebody_listens_is_kept(site, http):
    socket, texts = await opened(http, "/ws/?first=hello"), []
    server = await soon(site.connections.get())
    await server.ping(b"are you there")
    await soon(site.received.get())  # so the first text has arrived, too

    socket.listen(lambda text: texts.append(text) or True)

    assert texts == ["hello"]
    await socket.close()


async def test_a_ping_is_answered_and_a_close_is_a_handshake(site, http):
    socket = await opened(http)
    server = await soon(site.connections.get())

    await server.ping(b"payload")
    pong = await soon(site.received.get())
    await socket.close()

    assert (pong.type, pong.data) == (WSMsgType.PONG, b"payload")
    assert await soon(site.received.get()) == 1000
    assert socket.gone.done()


async def test_a_socket_that_is_closed_abruptly_says_nothing(site, http):
    socket = await opened(http)
    await soon(site.connections.get())

    await socket.close(abruptly=True)

    assert await soon(site.received.get()) != 1000


async def test_the_site_ends_it(site, http):
    socket = await opened(http)
    await (await soon(site.connections.get())).close()

    await soon(socket.ended)
    await soon(socket.close())


async def test_a_refusal_has_its_status(http):
    with pytest.raises(OSError, match="403") as refused:
        await opened(http, "/ws/?refused=1")

    assert refused.value.status == 403


async def test_a_protocol_is_offered(site, http):
    await opened(http, "/ws/?p=qr_abc", protocols=["qr_abc"])

    assert (await soon(site.connections.get())).ws_protocol == "qr_abc"


async def test_a_mistake_of_the_simulator_reaches_whoever_waits(site, http):
    def broken(text):
        raise ValueError("a mistake")

    socket = await opened(http, "/ws/?first=hello")
    socket.listen(broken)

    with pytest.raises(ValueError, match="a mistake"):
        await soon(asyncio.shield(socket.ended))
    await socket.close()


async def test_frames_in_pieces_of_any_size_are_put_together():
    answer = b"HTTP/1.1 101 x\r\nSec-WebSocket-Accept: s3pPLMBiTxaQ9kYGzzhZRbK+xOo=\r\n\r\n"
    stream = answer + b"\x81\x03one" + b"\x81\x7e\x00\x80" + b"y" * 128 + b"\x81\x00"
    for size in range(1, len(stream) + 1):
        socket, texts = UserSocket(b""), []
        socket.listen(lambda text, texts=texts: texts.append(text) or True)
        for at in range(0, len(stream), size):
            socket.data_received(stream[at : at + size])
        assert texts == ["one", "y" * 128, ""]

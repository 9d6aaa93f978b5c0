"""The site's connections to the sandbox: none is used that the sandbox may just be closing."""

import asyncio

from payments.sandbox import proxy
from ticketing.core.management.commands.serve import server_config

ANSWER = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"


async def answer_once(reader, writer):
    """Keeps the connection, and closes it when it is used again."""
    await reader.readuntil(b"\r\n\r\n")
    writer.write(ANSWER)
    await reader.read(1)
    writer.close()


async def post_twice():
    statuses = []

    async def receive():
        return {"type": "http.request", "body": b"", "more_body": False}

    async def send(message):
        statuses.extend([message["status"]] if "status" in message else [])

    scope = {"method": "POST", "raw_path": b"/sandbox/portone/checkout/1", "query_string": b""}
    scope |= {"path": "/sandbox/portone/checkout/1", "headers": [], "scheme": "http"}
    for _ in range(2):
        await proxy.forward(scope, receive, send)
    return statuses


async def statuses_of(settings, monkeypatch, *, idle_seconds):
    monkeypatch.setattr(proxy, "IDLE_SECONDS", idle_seconds)
    server = await asyncio.start_server(answer_once, "127.0.0.1", 0)
    settings.PAYMENTS_SANDBOX_PORT = server.sockets[0].getsockname()[1]
    session = proxy._session(asyncio.get_running_loop())
    try:
        return await post_twice()
    finally:
        await session.close()
        server.close()


async def test_an_old_connection_is_not_used_again(settings, monkeypatch):
    assert await statuses_of(settings, monkeypatch, idle_seconds=0) == [200, 200]


async def test_control_a_connection_that_is_being_closed_fails(settings, monkeypatch):
    assert await statuses_of(settings, monkeypatch, idle_seconds=60) == [200, 503]


def test_the_sandbox_keeps_connections_longer_than_the_site_uses_them():
    config = server_config("payments.sandbox.asgi:application")

    assert config.timeout_keep_alive >= 2 * proxy.IDLE_SECONDS

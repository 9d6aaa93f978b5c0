"""The HTTP client under the SDK uses the proxy that the environment names."""

import asyncio
from contextlib import nullcontext

import httpx
import pytest

from payments.gateways.http_client import SdkHttpClient, request_options

ANSWER = b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"


async def request_line(url: str, variable: str, monkeypatch: pytest.MonkeyPatch) -> bytes:
    """The first line that a server on this machine receives, with itself in that variable."""
    lines = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        lines.append(await reader.readline())
        await reader.readuntil(b"\r\n\r\n")
        writer.write(ANSWER)
        await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        monkeypatch.setenv(variable, f"http://127.0.0.1:{port}")
        client = SdkHttpClient(httpx.create_ssl_context())
        request_options.set((5.0, ""))
        answer = await client.request("GET", url.format(port=port), headers={})
        await client.aclose()
        assert answer.status_code == 204
    return lines[0]


async def test_the_environments_proxy_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("no_proxy", raising=False)
    monkeypatch.delenv("NO_PROXY", raising=False)
    line = await request_line("http://gateway.invalid/payments", "http_proxy", monkeypatch)
    assert line == b"GET http://gateway.invalid/payments HTTP/1.1\r\n"


async def test_a_host_without_proxy_is_asked_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("no_proxy", "127.0.0.1")
    line = await request_line("http://127.0.0.1:{port}/payments", "http_proxy", monkeypatch)
    assert line == b"GET /payments HTTP/1.1\r\n"


@pytest.mark.parametrize(
    ("method", "key", "times"),
    [("POST", "prepare-1", 2), ("GET", "", 2), ("POST", "", 1)],
    ids=["with a key", "a read", "control: without a key"],
)
async def test_a_connection_that_was_closed_meanwhile_is_replaced(
    method: str, key: str, times: int
) -> None:
    """The gateway closes it when the request arrives: only what is safe is sent again."""
    requests = []

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        requests.append(await reader.readuntil(b"\r\n\r\n"))
        if len(requests) > 1:
            writer.write(ANSWER)
            await writer.drain()
        writer.close()

    async with await asyncio.start_server(answer, "127.0.0.1") as server:
        port = server.sockets[0].getsockname()[1]
        client = SdkHttpClient(httpx.create_ssl_context())
        request_options.set((5.0, key))
        with nullcontext() if times == 2 else pytest.raises(httpx.RemoteProtocolError):
            await client.request(method, f"http://127.0.0.1:{port}/", headers={})
        await client.aclose()

    assert len(requests) == times

"""Websockets refuse with one error frame and a close."""

import asyncio
import json
from typing import Any

from asgiref.testing import ApplicationCommunicator

from ticketing.asgi import application
from ticketing.core.live.sockets import PushSocket


async def connected(path: str, *, origin: str) -> ApplicationCommunicator:
    headers = [(b"host", b"localhost"), (b"origin", origin.encode())]
    scope: dict[str, Any] = {"type": "websocket", "scheme": "ws", "path": path, "headers": headers}
    client = ApplicationCommunicator(application, scope | {"query_string": b"", "subprotocols": []})
    await client.send_input({"type": "websocket.connect"})
    return client


async def test_an_unknown_socket_says_so_and_closes():
    client = await connected("/ws/nowhere/", origin="http://localhost")

    answers = [await client.receive_output() for _ in range(3)]

    frame = json.loads(answers[1]["text"])
    assert [answer["type"] for answer in answers] == [
        "websocket.accept",
        "websocket.send",
        "websocket.close",
    ]
    assert (frame["type"], frame["code"], frame["details"]) == ("error", "not_found", {})
    assert answers[2]["code"] == 4404


async def test_another_site_may_not_open_a_socket():
    client = await connected("/ws/nowhere/", origin="https://evil.example")

    assert (await client.receive_output())["type"] == "websocket.close"


class Accepting(PushSocket):
    async def connect(self) -> None:
        await self.accept()


async def test_a_client_that_hangs_up_before_the_answer_is_no_error(caplog):
    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def hung_up(message: dict[str, Any]) -> None:
        raise OSError("gone")

    scope = {"type": "websocket", "path": "/ws/", "headers": []}

    await asyncio.wait_for(Accepting.as_asgi()(scope, receive, hung_up), 60)

    assert [it.getMessage() for it in caplog.records if it.levelname == "ERROR"] == []


class Stuck(PushSocket):
    """A socket whose client reads nothing: closing it never comes to an end."""

    unsubscribed = 0

    def unsubscribe(self) -> None:
        self.unsubscribed += 1

    async def close(self, code: int) -> None:
        await asyncio.Event().wait()


async def unused(*_: Any) -> Any:
    raise AssertionError


async def test_an_aborted_client_is_unsubscribed_at_once_and_not_waited_for():
    socket = Stuck({}, unused, unused)

    socket.abort()

    closing = socket._closing
    assert socket.unsubscribed == 1
    assert closing is not None
    assert not closing.done()
    closing.cancel()
    await asyncio.gather(closing, return_exceptions=True)

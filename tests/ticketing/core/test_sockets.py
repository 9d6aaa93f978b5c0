"""Websockets refuse like everything else: one error frame, then they close."""

import asyncio
import json
from typing import Any

import pytest
from asgiref.testing import ApplicationCommunicator

from ticketing.asgi import application
from ticketing.core.live.sockets import Socket

pytestmark = pytest.mark.django_db  # a socket looks after connections that others left open


async def knock(path: str, *, origin: str) -> ApplicationCommunicator:
    headers = [(b"host", b"localhost"), (b"origin", origin.encode())]
    scope: dict[str, Any] = {"type": "websocket", "path": path, "headers": headers}
    door = ApplicationCommunicator(application, scope | {"query_string": b"", "subprotocols": []})
    await door.send_input({"type": "websocket.connect"})
    return door


async def test_an_unknown_socket_says_so_and_closes():
    door = await knock("/ws/nowhere/", origin="http://localhost")

    answers = [await door.receive_output() for _ in range(3)]

    frame = json.loads(answers[1]["text"])
    assert [answer["type"] for answer in answers] == [
        "websocket.accept",
        "websocket.send",
        "websocket.close",
    ]
    assert (frame["type"], frame["code"], frame["details"]) == ("error", "not_found", {})
    assert answers[2]["code"] == 4404


async def test_another_site_may_not_open_a_socket():
    door = await knock("/ws/nowhere/", origin="https://evil.example")

    assert (await door.receive_output())["type"] == "websocket.close"


class Listening(Socket):
    async def enter(self) -> None:
        await self.accept()


async def test_who_hangs_up_before_the_answer_is_no_error(caplog):
    async def receive() -> dict[str, Any]:
        return {"type": "websocket.connect"}

    async def hung_up(message: dict[str, Any]) -> None:
        raise OSError("gone")

    scope = {"type": "websocket", "path": "/ws/", "headers": []}

    await asyncio.wait_for(Listening.as_asgi()(scope, receive, hung_up), 3)

    assert [it.getMessage() for it in caplog.records if it.levelname == "ERROR"] == []


class Telling(Socket):
    """A socket whose reader takes nothing: closing it never comes to an end."""

    left = 0

    def leave(self) -> None:
        self.left += 1

    async def close(self, code: int | None = None, reason: str | None = None) -> None:
        await asyncio.Event().wait()


async def test_who_takes_nothing_leaves_the_room_at_once_and_is_not_waited_for():
    socket = Telling()

    socket.give_up()

    ending = socket._ending
    assert socket.left == 1
    assert ending is not None
    assert not ending.done()
    ending.cancel()
    await asyncio.gather(ending, return_exceptions=True)

"""Seat maps that are open: real sockets at the real server."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from tests.waiting_queue.live.conftest import Served, served

__all__ = ["served"]


@dataclass
class OpenMap:
    socket: ClientConnection
    heard: list[dict[str, Any]] = field(default_factory=list)

    def next(self, kind: str = "seats", *, seconds: float = 5) -> dict[str, Any]:
        """The next frame of this kind; all others are kept in `heard`."""
        while True:
            frame: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
            self.heard.append(frame)
            if frame["type"] == kind:
                return frame

    def changes(self) -> dict[str, list[int]]:
        return self.next()["changes"]

    def is_silent(self, seconds: float = 0.8) -> bool:
        try:
            self.heard.append(json.loads(self.socket.recv(timeout=seconds)))
        except TimeoutError:
            return True
        return False


@pytest.fixture
def open_map(served: Served) -> Iterator[Callable[..., OpenMap]]:
    def opened(event_id: int, session: str = "", **headers: str) -> OpenMap:
        sent = {"Origin": served.origin, "Accept-Language": "en"} | headers
        if session:
            sent["Cookie"] = f"sessionid={session}"
        address = f"ws://localhost:{served.port}/ws/events/{event_id}/seats/"
        connecting = connect(address, additional_headers=sent, max_queue=None)
        return OpenMap(maps.enter_context(connecting))

    with ExitStack() as maps:
        yield opened

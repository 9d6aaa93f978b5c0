"""Seat maps that are open: real sockets at the real server."""

import json
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass, field
from typing import Any

import pytest
from websockets.sync.client import ClientConnection, connect

from reservations import store
from tests.waiting import PATIENCE
from tests.waiting_queue.live.conftest import Served, served, wait_until

__all__ = ["served"]


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[store.Changes]:
    """Every finished read of the changes, by whichever hub."""
    read, done = store.changes_since, []

    def noted(*args: Any, **last: str) -> store.Changes:
        changes = read(*args, **last)
        done.append(changes)
        return changes

    monkeypatch.setattr(store, "changes_since", noted)
    return done


@dataclass
class OpenMap:
    socket: ClientConnection
    reads: list[store.Changes]
    frames: list[dict[str, Any]] = field(default_factory=list)

    def next(self, kind: str = "seats", *, seconds: float = PATIENCE) -> dict[str, Any]:
        """The next frame of this kind; all others are kept in `frames`."""
        while True:
            frame: dict[str, Any] = json.loads(self.socket.recv(timeout=seconds))
            self.frames.append(frame)
            if frame["type"] == kind:
                return frame

    def changes(self) -> dict[str, list[int]]:
        return self.next()["changes"]

    def pending(self) -> list[dict[str, Any]]:
        """All frames of what was changed before this call."""
        before, frames = len(self.reads), []
        # The first of these may have begun before; the last is begun when the others are pushed.
        wait_until(lambda: len(self.reads) >= before + 3)
        try:
            while True:
                frames.append(json.loads(self.socket.recv(timeout=0.1)))
        except TimeoutError:
            return frames


@pytest.fixture
def open_map(served: Served, reads: list[store.Changes]) -> Iterator[Callable[..., OpenMap]]:
    def opened(event_id: int, session: str = "", **headers: str) -> OpenMap:
        sent = {"Origin": served.origin, "Accept-Language": "en"} | headers
        if session:
            sent["Cookie"] = f"sessionid={session}"
        address = f"ws://localhost:{served.port}/ws/events/{event_id}/seats/"
        connecting = connect(
            address, additional_headers=sent, max_queue=None, open_timeout=PATIENCE
        )
        return OpenMap(maps.enter_context(connecting), reads)

    with ExitStack() as maps:
        yield opened

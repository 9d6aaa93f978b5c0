"""The hub of the consoles checks again and again who may watch."""

import asyncio

import pytest

from ticketing.console import live
from ticketing.console.live import ConsoleHub, ConsoleSubscriber
from ticketing.core.errors import NotAllowed


class Console:
    """Of an operator whose permission was revoked."""

    def __init__(self, *, is_closed: bool) -> None:
        self.is_closed = is_closed
        self.checks = 0
        self.refused: list[str] = []

    async def check_permission(self) -> None:
        self.checks += 1
        raise NotAllowed()

    async def refuse(self, error: NotAllowed) -> None:
        if self.is_closed:
            raise RuntimeError("the socket is closed")
        self.refused.append(error.code)

    async def send_text(self, text: str) -> None: ...

    def abort(self) -> None: ...

    def close_soon(self) -> None: ...


@pytest.mark.parametrize("first_is_closed", [True, False])
async def test_a_closed_socket_does_not_end_the_checks_of_the_others(monkeypatch, first_is_closed):
    monkeypatch.setattr(live, "RECHECK_SECONDS", 0.001)
    hub, consoles = ConsoleHub(), [Console(is_closed=first_is_closed), Console(is_closed=False)]
    for console in consoles:
        hub.subscribe(1, ConsoleSubscriber(console))

    async with asyncio.timeout(60):
        while min(console.checks for console in consoles) < 3:
            await asyncio.sleep(0)
    await hub.close()

    assert consoles[1].refused[:2] == ["not_allowed", "not_allowed"]

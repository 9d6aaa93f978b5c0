"""How soon a user connects again: as soon as the waiting page would."""

import asyncio
import random
from types import SimpleNamespace
from typing import Any

import pytest

from ticketing.rehearsal.simulator.users.queue_updates import QueueUpdates

WAITING = '{"type":"standing","state":"WAITING","number":7,"ahead":6,"token":null}'
RECONNECT = '{"type":"reconnect","after_ms":250}'


class Socket:
    """Hands over these texts; then the site ends it, or the user's time is up."""

    def __init__(self, texts: list[str], *, is_ended: bool) -> None:
        self.texts, self.heard_at = texts, asyncio.get_running_loop().time()
        self.ended = asyncio.get_running_loop().create_future()
        if is_ended:
            self.ended.set_result(None)

    def listen(self, receive: Any) -> None:
        for text in self.texts:
            receive(text)

    async def close(self, *, abruptly: bool = False) -> None:
        pass


async def delays(texts: list[str], *, is_ended: bool, times: int) -> list[float]:
    """Before each new connection of a user whose connections all go like this."""

    async def socket(*_args: Any, **_options: Any) -> Socket:
        return Socket(texts, is_ended=is_ended)

    fan: Any = SimpleNamespace(
        http=SimpleNamespace(socket=socket), plan=SimpleNamespace(channel="socket"), event=7,
        socket_at=0.0, token="", turn_query="", ip_index=0, headers={}, is_waiting=True,
        is_sampled=False, rng=random.Random(1), now=lambda: 5.0, record=lambda *_, **__: None,
        apply_standing=lambda _: None,
    )  # fmt: skip
    updates, found = QueueUpdates(fan), []
    for _ in range(times):
        await updates.listen(asyncio.get_running_loop().time())
        found.append(updates.reconnect_delay())
    return found


async def test_who_is_cut_off_again_and_again_waits_longer_each_time():
    first, second = await delays([], is_ended=True, times=2)

    assert 1 <= first <= 2 <= second <= 4


@pytest.mark.parametrize(
    ("texts", "is_ended", "expected"),
    [([WAITING], False, 0.0), ([RECONNECT], True, 0.25)],
    ids=["who breaks off", "whom the site told when"],
)
async def test_who_does_not_wait_that_long(texts, is_ended, expected):
    assert await delays(texts, is_ended=is_ended, times=2) == [expected] * 2

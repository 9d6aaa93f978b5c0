"""Users connect again as soon as the waiting page would, and believe what it would."""

import asyncio
import json
import random
from types import SimpleNamespace
from typing import Any

import pytest

from ticketing.rehearsal.simulator.history import Record
from ticketing.rehearsal.simulator.users.fan import Fan
from ticketing.rehearsal.simulator.users.queue_updates import QueueUpdates
from ticketing.rehearsal.simulator.users.responses import Response
from ticketing.rehearsal.simulator.users.site_user import Account

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


# -- a place that was lost with Redis -------------------------------------------------------------

NONE = '{"type":"standing","state":"NONE","number":null,"ahead":null,"token":null}'


async def told_none(*, by_token: dict[str, Any]) -> tuple[Fan, list[Record], list[Any]]:
    """A stream, which can't carry the token, says that a user who waits is in no line."""
    records, calls = list[Record](), list[Any]()
    joined = {"state": "WAITING", "number": 9, "token": "new"}

    async def call(method: str, _path: str, **options: Any) -> Response:
        calls.append((method, options["headers"].get("Authorization")))
        body = joined if method == "POST" else by_token
        return Response(200, 6.0, 6.1, json.dumps(body).encode())

    pool: Any = SimpleNamespace(now=lambda: 5.0, event=7, seed=1, cookie="sessionid")
    pool.http = SimpleNamespace(call=call, origin="http://site.invalid")
    pool.record, pool.counters = records.append, SimpleNamespace(change_phase=lambda *_: None)
    fan = Fan(pool, SimpleNamespace(number=3), Account(9, "session"))  # type: ignore[arg-type]
    fan.apply_standing({"state": "WAITING", "number": 7, "token": "old"})
    assert not fan.updates.receive(NONE, tab=0)
    await fan.join_again()
    return fan, records, calls


async def test_who_is_told_of_no_place_asks_by_the_token_first():
    fan, records, calls = await told_none(by_token={"state": "WAITING", "number": 7})

    assert (fan.state, fan.number, calls) == ("WAITING", 7, [("GET", "Bearer old")])
    assert [record.action for record in records] == ["poll"]


async def test_who_has_no_place_by_the_token_either_joins_again():
    fan, records, calls = await told_none(by_token={"state": "NONE", "number": None})

    assert (fan.state, fan.number, fan.token) == ("WAITING", 9, "new")
    assert calls == [("GET", "Bearer old"), ("POST", None)]
    assert [record.action for record in records] == ["poll", "join"]

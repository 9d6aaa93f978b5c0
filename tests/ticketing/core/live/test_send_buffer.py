"""A slow client delays nobody else, and gets the newest messages afterwards."""

import asyncio
import gc
import time
import warnings
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from ticketing.core.live import send_buffer
from ticketing.core.live.send_buffer import SendBuffer


@dataclass
class Client:
    """A connection that takes nothing while `can_read` is cleared."""

    got: list[str] = field(default_factory=list)
    aborted: int = 0
    closed_sends: int = 0
    writes: int = 0
    can_read: asyncio.Event = field(default_factory=asyncio.Event)
    broken: bool = False

    async def send_text(self, *texts: str) -> None:
        try:
            await self.can_read.wait()
        except BaseException:
            self.closed_sends += 1
            raise
        if self.broken:
            raise ConnectionError("gone")
        self.writes += 1
        self.got.extend(texts)

    def abort(self) -> None:
        self.aborted += 1

    def close_soon(self) -> None: ...


@pytest.fixture
async def client() -> Client:
    client = Client()
    client.can_read.set()
    return client


@pytest.fixture
def buffer(client: Client) -> SendBuffer:
    return SendBuffer(client)


@pytest.fixture(autouse=True)
async def nothing_leaks() -> AsyncIterator[None]:
    """No task and no coroutine is left behind."""
    with warnings.catch_warnings(record=True) as complaints:
        warnings.simplefilter("always")
        yield
        await settled()
        gc.collect()
    left = asyncio.all_tasks() - {asyncio.current_task()}
    never_awaited = [one for one in complaints if one.category is RuntimeWarning]
    assert [str(complaint.message) for complaint in never_awaited] == []
    assert not [task for task in left if "SendBuffer" in repr(task)]


async def settled() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_messages_of_several_kinds_are_one_write(client, buffer):
    buffer.push("rank", "1", {"outlook": "few", "notice": "late"})

    assert (client.got, client.writes) == (["1", "few", "late"], 1)


async def test_of_several_kinds_a_slow_client_gets_the_newest_of_each(client, buffer):
    client.can_read.clear()
    buffer.push("rank", "1", {"outlook": "many"})
    buffer.push("rank", "2", {"outlook": "some", "notice": "late"})
    buffer.push("rank", "3", {"outlook": "few"})
    client.can_read.set()
    await settled()

    assert client.got[:2] == ["1", "many"]
    assert sorted(client.got[2:]) == ["3", "few", "late"]


async def test_what_fits_is_sent_at_once_and_in_order(client, buffer):
    for number in range(100):
        buffer.push("standing", f"{number}")

    assert client.got == [f"{number}" for number in range(100)]


async def test_while_a_send_is_blocked_only_the_newest_of_each_kind_is_kept(client, buffer):
    client.can_read.clear()
    for number in range(50):
        buffer.push("standing", f"s{number}")
        buffer.push("outlook", f"o{number}")
    client.can_read.set()
    await settled()

    assert client.got == ["s0", "s49", "o49"] or client.got == ["s0", "o49", "s49"]


async def test_afterwards_messages_are_sent_at_once_again(client, buffer):
    client.can_read.clear()
    buffer.push("standing", "first")
    client.can_read.set()
    await settled()

    buffer.push("standing", "second")

    assert client.got == ["first", "second"]


async def test_a_client_that_is_slow_again_and_again_gets_the_newest(client, buffer):
    for number in range(30):
        client.can_read.clear() if number % 3 == 0 else client.can_read.set()
        buffer.push("standing", f"{number}")
        await asyncio.sleep(0)
    client.can_read.set()
    await settled()

    assert client.got[-1] == "29"
    assert client.got == sorted(client.got, key=int)


async def test_nobody_waits_for_a_slow_client(client, buffer):
    slow = Client()
    blocked = SendBuffer(slow)

    began = time.monotonic()
    for number in range(1_000):
        blocked.push("standing", f"{number}")
        buffer.push("standing", f"{number}")

    assert len(client.got) == 1_000
    assert time.monotonic() - began < 5
    assert slow.got == []
    blocked.close()


async def test_a_client_that_is_gone_is_aborted(client, buffer):
    client.broken = True

    buffer.push("standing", "to nobody")

    assert (client.got, client.aborted) == ([], 1)


async def test_a_client_that_goes_during_a_slow_send_is_aborted(client, buffer):
    client.can_read.clear()
    buffer.push("standing", "to somebody")
    client.broken = True
    client.can_read.set()
    await settled()

    assert (client.got, client.aborted) == ([], 1)


async def test_a_client_that_takes_nothing_for_too_long_is_aborted(client, buffer, monkeypatch):
    monkeypatch.setattr(send_buffer, "STALL_SECONDS", 0.01)
    client.can_read.clear()

    buffer.push("standing", "never taken")
    while not client.aborted:
        await asyncio.sleep(0.005)

    assert (client.got, client.aborted) == ([], 1)


async def test_a_client_that_takes_a_message_now_and_then_is_not_aborted(monkeypatch):
    """Behind for longer than the limit, but each message is taken well within it."""
    loop, skipped = asyncio.get_running_loop(), 0.0
    real_time = loop.time
    monkeypatch.setattr(loop, "time", lambda: real_time() + skipped)
    turns = asyncio.Semaphore(0)

    class Slow(Client):
        async def send_text(self, *texts: str) -> None:
            await turns.acquire()
            self.got.extend(texts)

    client = Slow()
    buffer = SendBuffer(client)
    buffer.push("standing", "0")
    for number in range(1, 10):
        buffer.push("standing", f"{number} older")
        buffer.push("standing", f"{number}")  # there is always one more to be taken
        skipped += send_buffer.STALL_SECONDS / 2
        turns.release()
        await settled()
    turns.release()
    await settled()

    assert (client.got, client.aborted) == ([f"{number}" for number in range(10)], 0)
    assert not buffer.is_behind


async def test_closing_drops_what_was_not_sent(client, buffer):
    client.can_read.clear()
    buffer.push("standing", "on its way")
    buffer.push("standing", "kept")

    buffer.close()
    await settled()
    client.can_read.set()
    await settled()

    assert (client.got, client.aborted) == ([], 0)


async def test_a_send_that_only_yields_to_others_is_finished_too():
    class Polite(Client):
        async def send_text(self, text: str) -> None:
            await asyncio.sleep(0)
            await super().send_text(text)

    client = Polite()
    client.can_read.set()
    buffer = SendBuffer(client)
    buffer.push("standing", "1")
    buffer.push("standing", "2")
    await settled()
    await settled()

    assert client.got == ["1", "2"]


# -- cancellation of a send whose first step ran outside of its task ------------------------------


async def test_closing_before_the_task_ran_closes_the_send(client, buffer):
    client.can_read.clear()
    buffer.push("standing", "on its way")

    buffer.close()
    await settled()

    assert (client.got, client.aborted, client.closed_sends) == ([], 0, 1)


async def test_closing_while_the_task_waits_cancels_the_send(client, buffer):
    client.can_read.clear()
    buffer.push("standing", "on its way")
    await settled()

    buffer.close()
    await settled()

    assert (client.got, client.aborted, client.closed_sends) == ([], 0, 1)
    assert not client.can_read._waiters


async def test_a_timeout_reaches_the_send_itself(client, buffer, monkeypatch):
    monkeypatch.setattr(send_buffer, "STALL_SECONDS", 0.01)
    client.can_read.clear()

    buffer.push("standing", "never taken")
    while not client.aborted:
        await asyncio.sleep(0.005)

    assert client.closed_sends == 1
    assert not buffer.is_behind


async def test_after_closing_nothing_is_sent(client, buffer):
    client.can_read.clear()
    buffer.push("standing", "on its way")
    buffer.close()
    client.can_read.set()
    await settled()

    buffer.push("standing", "too late")
    await settled()

    assert client.got == []


class CleansUp(Client):
    """Waits for one more thing when it is cancelled."""

    async def send_text(self, text: str) -> None:
        try:
            await self.can_read.wait()
        except asyncio.CancelledError:
            await asyncio.sleep(0)
            self.got.append(f"{text} was cancelled")
            raise


async def test_a_cancelled_send_may_still_wait_to_clean_up():
    client = CleansUp()
    buffer = SendBuffer(client)
    buffer.push("standing", "1")
    await settled()

    buffer.close()
    await settled()

    assert client.got == ["1 was cancelled"]


async def test_a_future_that_fails_reaches_the_send():
    future: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    class Failing(Client):
        async def send_text(self, text: str) -> None:
            try:
                await future
            except ConnectionError:
                self.got.append("failed")
                raise

    client = Failing()
    SendBuffer(client).push("standing", "1")
    future.set_exception(ConnectionError("gone"))
    await settled()

    assert (client.got, client.aborted) == (["failed"], 1)

"""One reader's slowness is nobody else's, and what is sent to them is the newest."""

import asyncio
import gc
import time
import warnings
from collections.abc import AsyncIterator
from dataclasses import dataclass, field

import pytest

from ticketing.core.live import send_buffer as outboxes
from ticketing.core.live.send_buffer import SendBuffer


@dataclass
class Reader:
    """A socket that takes nothing while its door is shut."""

    got: list[str] = field(default_factory=list)
    given_up: int = 0
    door: asyncio.Event = field(default_factory=asyncio.Event)
    broken: bool = False

    async def send(self, text: str) -> None:
        await self.door.wait()
        if self.broken:
            raise ConnectionError("gone")
        self.got.append(text)

    def give_up(self) -> None:
        self.given_up += 1


@pytest.fixture
async def reader() -> Reader:
    reader = Reader()
    reader.door.set()
    return reader


@pytest.fixture
def outbox(reader: Reader) -> SendBuffer:
    return SendBuffer(reader.send, reader.give_up)


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


async def test_what_fits_is_gone_at_once_and_in_order(reader, outbox):
    for number in range(100):
        outbox.put("standing", f"{number}")

    assert reader.got == [f"{number}" for number in range(100)]


async def test_while_a_send_is_blocked_only_the_newest_of_each_kind_is_kept(reader, outbox):
    reader.door.clear()
    for number in range(50):
        outbox.put("standing", f"s{number}")
        outbox.put("outlook", f"o{number}")
    reader.door.set()
    await settled()

    assert reader.got == ["s0", "s49", "o49"] or reader.got == ["s0", "o49", "s49"]


async def test_afterwards_it_is_as_quick_as_before(reader, outbox):
    reader.door.clear()
    outbox.put("standing", "first")
    reader.door.set()
    await settled()

    outbox.put("standing", "second")

    assert reader.got == ["first", "second"]


async def test_a_reader_who_is_slow_again_and_again_still_gets_the_newest(reader, outbox):
    for number in range(30):
        reader.door.clear() if number % 3 == 0 else reader.door.set()
        outbox.put("standing", f"{number}")
        await asyncio.sleep(0)
    reader.door.set()
    await settled()

    assert reader.got[-1] == "29"
    assert reader.got == sorted(reader.got, key=int)


async def test_nobody_waits_for_a_slow_reader(reader, outbox):
    slow = Reader()
    blocked = SendBuffer(slow.send, slow.give_up)

    began = time.monotonic()
    for number in range(1_000):
        blocked.put("standing", f"{number}")
        outbox.put("standing", f"{number}")

    assert len(reader.got) == 1_000
    assert time.monotonic() - began < 5
    assert slow.got == []
    blocked.close()


async def test_a_socket_that_is_gone_is_given_up(reader, outbox):
    reader.broken = True

    outbox.put("standing", "to nobody")

    assert (reader.got, reader.given_up) == ([], 1)


async def test_a_socket_that_goes_while_it_is_waited_for_is_given_up(reader, outbox):
    reader.door.clear()
    outbox.put("standing", "to somebody")
    reader.broken = True
    reader.door.set()
    await settled()

    assert (reader.got, reader.given_up) == ([], 1)


async def test_who_takes_nothing_for_too_long_is_given_up(reader, outbox, monkeypatch):
    monkeypatch.setattr(outboxes, "PATIENCE_SECONDS", 0.01)
    reader.door.clear()

    outbox.put("standing", "never taken")
    while not reader.given_up:
        await asyncio.sleep(0.005)

    assert (reader.got, reader.given_up) == ([], 1)


async def test_who_takes_something_now_and_then_is_not_given_up(reader, monkeypatch):
    """Behind for longer than our patience, but each message is taken well within it."""
    monkeypatch.setattr(outboxes, "PATIENCE_SECONDS", 0.5)

    async def slowly(text: str) -> None:
        await asyncio.sleep(0.1)
        await reader.send(text)

    outbox = SendBuffer(slowly, reader.give_up)
    for number in range(30):
        outbox.put("standing", f"{number}")  # there is always one more to be taken
        await asyncio.sleep(0.03)
    while not reader.got or reader.got[-1] != "29":
        assert not reader.given_up
        await asyncio.sleep(0.01)

    assert 5 < len(reader.got) < 30


async def test_a_page_that_closes_takes_what_was_not_sent_with_it(reader, outbox):
    reader.door.clear()
    outbox.put("standing", "on its way")
    outbox.put("standing", "kept")

    outbox.close()
    await settled()
    reader.door.set()
    await settled()

    assert (reader.got, reader.given_up) == ([], 0)


async def test_a_send_that_only_lets_others_go_first_is_finished_too(reader):
    async def polite(text: str) -> None:
        await asyncio.sleep(0)
        await reader.send(text)

    outbox = SendBuffer(polite, reader.give_up)
    outbox.put("standing", "1")
    outbox.put("standing", "2")
    await settled()
    await settled()

    assert reader.got == ["1", "2"]

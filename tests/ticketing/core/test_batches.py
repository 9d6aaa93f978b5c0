"""Calls of one moment share a batch; each gets its own answer."""

import asyncio

import pytest

from ticketing.core.batches import Batches


class Sender:
    """Answers a batch when it is told to."""

    def __init__(self):
        self.batches, self.may_answer = [], asyncio.Event()

    async def __call__(self, batch):
        self.batches.append(batch)
        await self.may_answer.wait()
        if "broken batch" in batch:
            raise ConnectionError
        return [ValueError() if item == "refused" else f"{item}!" for item in batch]


@pytest.fixture
async def sender():
    return Sender()


async def test_while_a_batch_is_on_its_way_the_next_one_gathers(sender):
    batches = Batches(sender, most=3)
    first = batches.add("a")
    await asyncio.sleep(0)
    others = [batches.add(item) for item in "bcde"]
    sender.may_answer.set()

    assert await asyncio.gather(first, *others) == ["a!", "b!", "c!", "d!", "e!"]
    assert sender.batches == [["a"], ["b", "c", "d"], ["e"]]


async def test_after_a_pause_the_next_is_sent_at_once(sender):
    batches = Batches(sender, most=3)
    sender.may_answer.set()

    assert [await batches.add(item) for item in "ab"] == ["a!", "b!"]


async def test_a_refusal_is_of_one_a_failure_of_the_batch_and_then_it_goes_on(sender):
    batches = Batches(sender, most=2)
    items = ("a", "refused", "broken batch", "b", "c")
    sender.may_answer.set()

    answers = await asyncio.gather(*map(batches.add, items), return_exceptions=True)

    kinds = [str, ValueError, ConnectionError, ConnectionError, str]
    assert [type(answer) for answer in answers] == kinds


async def test_who_goes_away_takes_nobody_along(sender):
    batches = Batches(sender, most=2)
    gone, there = batches.add("a"), batches.add("b")
    await asyncio.sleep(0)
    gone.cancel()
    sender.may_answer.set()

    assert await there == "b!"
    assert sender.batches == [["a", "b"]]

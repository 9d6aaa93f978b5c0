"""The runner pauses the sale, and never leaves it paused."""

import asyncio

from ticketing.rehearsal.simulator.pause import Pause, pause_seconds
from ticketing.rehearsal.simulator.site import SiteRefused, SiteUnreachable

SALE, LASTS = 0.02, 0.01  # seconds


class Sale:
    """Makes moves, after the errors that it is given."""

    def __init__(self, **errors):
        self.errors, self.moves, self.state = errors, [], "open"

    async def move(self, move):
        self.moves.append(move)
        if self.errors.get(move):
            raise self.errors[move].pop(0)
        self.state = {"pause": "paused", "resume": "open"}[move]
        return self.state


class NotedLock(asyncio.Lock):
    """Notes that somebody wants it."""

    def __init__(self):
        super().__init__()
        self.wanted = asyncio.Event()

    async def acquire(self):
        self.wanted.set()
        return await super().acquire()


def pause(sale, *, closing=False, lock=None):
    return Pause(SALE, LASTS, lock or asyncio.Lock(), sale.move, lambda seconds: closing)


async def test_a_pause_ends_by_itself():
    sale = Sale()

    await pause(sale).run()

    assert sale.moves == ["pause", "resume"]
    assert sale.state == "open"


def test_it_lasts_eight_seconds_and_less_in_a_short_sale():
    assert [pause_seconds(sale) for sale in (30, 90, 180)] == [5, 6, 8]


async def test_a_pause_that_nobody_answered_is_taken_back_until_that_is_heard():
    sale = Sale(pause=[SiteUnreachable()], resume=[SiteUnreachable(), SiteUnreachable()])

    await pause(sale).run()

    assert sale.moves == ["pause", "resume", "resume", "resume"]
    assert sale.state == "open"


async def test_an_operator_who_was_faster_is_left_alone():
    sale = Sale(pause=[SiteRefused(409, "illegal_move", "No.")])

    await pause(sale).run()

    assert sale.moves == ["pause"]


async def test_there_is_none_when_the_closing_is_near():
    sale = Sale()

    await pause(sale, closing=True).run()

    assert sale.moves == []


async def test_it_waits_while_a_fault_is_under_way():
    sale, lock = Sale(), NotedLock()
    async with lock:
        lock.wanted.clear()
        task = asyncio.create_task(pause(sale, lock=lock).run())
        await asyncio.wait_for(lock.wanted.wait(), 60)
        before = list(sale.moves)
    await task

    assert before == []
    assert sale.moves == ["pause", "resume"]

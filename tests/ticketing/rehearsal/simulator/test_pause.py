"""The runner pauses the sale, and never leaves it paused."""

import asyncio

import pytest

from ticketing.rehearsal.simulator.history import RUNNER, Folder
from ticketing.rehearsal.simulator.pause import Pause, pause_seconds
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.runner import Run
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


@pytest.fixture
def make_run(tmp_path):
    def of(sale):
        folder = Folder(tmp_path)
        return Run({}, sale, None, folder, folder.recorder(), Progress())

    return of


async def test_a_move_without_an_answer_is_recorded(make_run):
    run = make_run(Sale(pause=[SiteUnreachable()]))

    with pytest.raises(SiteUnreachable):
        await run._move("pause")
    await run._move("resume")
    run.record.close()

    recorded = [(it.user, it.action, it.status, it.data["move"]) for it in run.folder.records()]
    assert recorded == [(RUNNER, "move", 0, "pause"), (RUNNER, "move", 200, "resume")]
    assert run.progress.last_change == "the line goes on after a pause"

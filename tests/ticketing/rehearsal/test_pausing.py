"""The director pauses the sale, and never leaves it paused."""

import asyncio

import pytest

from ticketing.rehearsal.simulator.history import STAGE, Folder
from ticketing.rehearsal.simulator.pause import Pause
from ticketing.rehearsal.simulator.runner import Play
from ticketing.rehearsal.simulator.screen import Progress
from ticketing.rehearsal.simulator.site import StageRefused, StageSilent

SALE = 0.3  # seconds


class Sale:
    """Does what it is told, after the trouble that it is in."""

    def __init__(self, **trouble):
        self.trouble, self.moves, self.state = trouble, [], "open"

    async def move(self, move):
        self.moves.append(move)
        if self.trouble.get(move):
            raise self.trouble[move].pop(0)
        self.state = {"pause": "paused", "resume": "open"}[move]
        return self.state


def pause(sale, *, closing=False, turn=None):
    return Pause(SALE, turn or asyncio.Lock(), sale.move, lambda seconds: closing)


async def test_a_pause_ends_by_itself():
    sale = Sale()

    await pause(sale).take()

    assert sale.moves == ["pause", "resume"]
    assert sale.state == "open"


def test_it_lasts_eight_seconds_and_less_in_a_short_sale():
    lasts = [Pause(seconds, asyncio.Lock(), Sale().move, bool).lasts for seconds in (30, 90, 180)]

    assert lasts == [5, 6, 8]


async def test_a_pause_that_nobody_answered_is_taken_back_until_that_is_heard():
    sale = Sale(pause=[StageSilent()], resume=[StageSilent(), StageSilent()])

    await pause(sale).take()

    assert sale.moves == ["pause", "resume", "resume", "resume"]
    assert sale.state == "open"


async def test_an_operator_who_was_faster_is_left_alone():
    sale = Sale(pause=[StageRefused(409, "illegal_move", "No.")])

    await pause(sale).take()

    assert sale.moves == ["pause"]


async def test_there_is_none_when_the_closing_is_near():
    sale = Sale()

    await pause(sale, closing=True).take()

    assert sale.moves == []


async def test_it_waits_while_something_is_broken():
    sale, turn = Sale(), asyncio.Lock()
    async with turn:
        task = asyncio.create_task(pause(sale, turn=turn).take())
        await asyncio.sleep(SALE)
        before = list(sale.moves)
    await task

    assert before == []
    assert sale.moves == ["pause", "resume"]


@pytest.fixture
def play(tmp_path):
    def of(sale):
        folder = Folder(tmp_path)
        return Play({}, sale, None, folder, folder.recorder(), Progress())

    return of


async def test_a_move_without_an_answer_is_written_down(play):
    evening = play(Sale(pause=[StageSilent()]))

    with pytest.raises(StageSilent):
        await evening._move("pause")
    await evening._move("resume")
    evening.recorder.close()

    told = [(it.who, it.did, it.status, it.saw["move"]) for it in evening.folder._deeds()]
    assert told == [(STAGE, "move", 0, "pause"), (STAGE, "move", 200, "resume")]
    assert evening.progress.news == "the line goes on after a pause"

"""The progress of a rehearsal on a terminal."""

import asyncio
import io
import re

import pytest

from tests.ticketing.rehearsal.simulator.terminal.busy_dashboard import busy
from ticketing.rehearsal.simulator.history import steady_time
from ticketing.rehearsal.simulator.progress import Progress
from ticketing.rehearsal.simulator.terminal import dashboard
from ticketing.rehearsal.simulator.terminal.dashboard import one_line
from ticketing.rehearsal.simulator.terminal.text import coloured, fit, paint_for, plain

COLOURS = re.compile(r"\x1b\[[0-9;]*m")


@pytest.fixture
def progress():
    return busy()


@pytest.mark.parametrize("width", [20, 30, 40, 48, 60, 77, 80, 100, 200])
def test_it_fits_the_terminal(progress, width):
    lines = dashboard.screen(progress, steady_time(), width, plain)

    assert max(map(len, lines)) <= width
    assert "K7QF2M9X" in lines[0]


def test_colours_change_nothing_but_the_colour(progress):
    now = steady_time()
    bare = dashboard.screen(progress, now, 80, plain)
    bright = dashboard.screen(progress, now, 80, coloured)

    assert [COLOURS.sub("", line) for line in bright] == bare
    assert any(COLOURS.search(line) for line in bright)


def test_the_longest_numbers_fit_eighty_by_twenty_four(progress):
    assert len(dashboard.screen(progress, steady_time(), 80, plain)) <= 23


def test_it_says_how_many_are_where_and_how_fast_it_goes(progress):
    text = "\n".join(dashboard.screen(progress, steady_time(), 80, plain))

    for words in ("waiting", "12,345", "hold ", "12300", "seat_taken 12,345"):
        assert words in text
    assert re.search(r"Attacks +1 tried, 0 not refused", text)
    assert "10 of 10" in text


def test_before_anything_is_known_there_is_a_screen_too():
    assert dashboard.screen(Progress(), steady_time(), 80, plain)[0] == "Rehearsal"
    assert "refused 0" in one_line(Progress(), steady_time())


def test_wide_letters_are_counted_as_two():
    assert fit("달빛 콘서트", 20) == "달빛 콘서트"
    assert fit("달빛 콘서트", 6) == "달빛…"


class Terminal(io.StringIO):
    def isatty(self):
        return True


async def shown(progress, out):
    task = asyncio.create_task(dashboard.show(progress, out))
    async with asyncio.timeout(60):
        while not out.getvalue():
            await asyncio.sleep(0)
    task.cancel()
    await asyncio.gather(task, return_exceptions=True)
    return out.getvalue()


async def test_a_terminal_gets_its_own_screen_back(progress):
    text = await shown(progress, Terminal())

    assert text.startswith(dashboard.ENTER_SCREEN)
    assert text.endswith(dashboard.LEAVE_SCREEN)


async def test_a_file_gets_plain_lines(progress):
    text = await shown(progress, io.StringIO())

    assert "\x1b" not in text
    assert "settling payments\n" in text


def test_no_color_is_honoured(monkeypatch):
    monkeypatch.delenv("NO_COLOR", raising=False)
    assert paint_for(Terminal())("x", "red") != "x"
    monkeypatch.setenv("NO_COLOR", "1")
    assert paint_for(Terminal())("x", "red") == "x"

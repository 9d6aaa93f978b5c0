"""One computation a tick for all open pages: what it asks Redis, and whom it tells."""

import asyncio
import json
from dataclasses import replace

import pytest

from tests.waiting_queue.live.pages import Told, entered, hears, line_of, pulse
from ticketing.core import clock
from waiting_queue import selectors, store
from waiting_queue.live import subscribers
from waiting_queue.live.subscribers import FRESH_SECONDS, Room
from waiting_queue.tokens import QueueToken

pytestmark = pytest.mark.usefixtures("no_server")


@pytest.fixture
async def room() -> Room:
    return Room(7)


# -- what Redis is asked --------------------------------------------------------------------------


async def test_the_line_is_read_once_and_then_followed(room, asked):
    line = line_of(range(1, 11))
    (page,) = await entered(room, line, [10])
    await hears(room, pulse(line))
    asked.clear()

    for person in ("2", "5", "1"):
        line.leave(person)
        await hears(room, pulse(line))

    assert [frame["ahead"] for frame in page.said()][-3:] == [8, 7, 6]
    assert asked == []


async def test_only_those_to_whom_something_happened_are_looked_up(room, asked):
    line = line_of(range(1, 11))
    pages = await entered(room, line, range(1, 11))
    await hears(room, pulse(line))
    asked.clear()

    line.leave("3")
    line.leave("7")
    await hears(room, pulse(line))

    assert asked == ["peek", "peek"]
    assert [page.last()["state"] for page in (pages[2], pages[6])] == ["LEFT", "LEFT"]
    assert [pages[number].last()["ahead"] for number in (0, 4, 9)] == [0, 3, 7]


async def test_news_of_people_elsewhere_cost_no_question(room, asked):
    line = line_of(range(1, 11))
    await entered(room, line, [10])
    await hears(room, pulse(line))
    asked.clear()

    for person in range(1, 9):
        line.leave(str(person))
    await hears(room, pulse(line))

    assert asked == []


async def test_after_a_missed_turn_the_line_is_read_and_only_the_doubtful_are_looked_up(
    room, asked
):
    line = line_of(range(1, 21))
    pages = await entered(room, line, range(1, 21))
    await hears(room, pulse(line))
    line.leave("4")
    line.leave("9")
    pulse(line)  # nobody hears it
    asked.clear()

    await hears(room, pulse(line))

    assert asked == ["ZRANGE", "peek", "peek"]
    assert [pages[number].last()["state"] for number in (3, 8)] == ["LEFT", "LEFT"]
    assert [pages[number].last()["ahead"] for number in (0, 4, 9, 19)] == [0, 3, 7, 17]


async def test_after_a_missed_turn_who_is_called_is_told_so(room):
    line = line_of(range(1, 6), cap=2)
    pages = await entered(room, line, range(1, 6))
    await hears(room, pulse(line))
    line.tick(state="open")
    pulse(line)
    line.claim("1")
    pulse(line)

    await hears(room, pulse(line))

    assert [page.last()["state"] for page in pages] == ["ADMITTED", "READY", *["WAITING"] * 3]


async def test_a_new_epoch_looks_up_everybody(room, asked):
    line = line_of(range(1, 6))
    pages = await entered(room, line, range(1, 6))
    first = pulse(line)
    await hears(room, first)
    store.delete_meta(7)
    line.begin(epoch="e2")
    asked.clear()

    await hears(room, replace(pulse(line), turn=first.turn + 1))

    assert sorted(asked) == ["ZRANGE", *["peek"] * 5]
    assert all(page.last()["token"] for page in pages)


async def test_nobody_is_looked_up_while_the_lobby_is_drawn_and_everybody_after_it(room, asked):
    line = line_of([], state="lobby")
    line.join("1", "2", "3")
    pages = await entered(room, line, [1, 2, 3])
    await hears(room, pulse(line))
    line.begin(state="open", drawing=True)
    asked.clear()

    await hears(room, pulse(line))
    during = list(asked)
    store.run(store.draw(7, ["3", "1", "2"], 1, line.now))
    line.begin(drawing=False)
    await hears(room, pulse(line))

    assert during == []
    assert sorted(asked) == ["ZRANGE", "peek", "peek", "peek"]
    assert [page.last()["number"] for page in pages] == [2, 3, 1]


async def test_after_a_redis_that_failed_the_next_pulse_starts_afresh(room, asked, monkeypatch):
    line = line_of(range(1, 6))
    (page,) = await entered(room, line, [5])
    await hears(room, pulse(line))
    line.leave("5")

    async def down(*_: object) -> None:
        raise ConnectionError("down")

    with monkeypatch.context() as outage:
        outage.setattr(store, "apeek_all", down)
        await hears(room, pulse(line))
    page.said()
    asked.clear()
    await hears(room, pulse(line))

    assert page.last()["state"] == "LEFT"
    assert asked == ["ZRANGE", "peek"]


async def test_questions_do_not_grow_with_the_pages(asked):
    """Three hundred pages, five ticks, one person a tick to whom something happens."""
    costs = {}
    for pages in (30, 300):
        store.erase(7)
        line, room = line_of(range(1, 301)), Room(7)
        told = await entered(room, line, range(301 - pages, 301))
        await hears(room, pulse(line))
        asked.clear()
        for person in range(1, 6):
            line.leave(str(300 - person))
            await hears(room, pulse(line.wait(1)))
        costs[pages] = len(asked)
        assert told[-1].last()["ahead"] == 294

    assert costs == {30: 5, 300: 5}


# -- who is told, and when ------------------------------------------------------------------------


async def test_pulses_that_pile_up_are_told_together(room, asked):
    line = line_of(range(1, 11))
    near, gone = await entered(room, line, [10, 3])
    await hears(room, pulse(line))
    near.said(), gone.said(), asked.clear()
    pulses = []
    for person in ("1", "3", "2"):
        line.leave(person)
        pulses.append(pulse(line))

    await hears(room, *pulses)

    assert [frame["ahead"] for frame in near.said()] == [6]
    assert [frame["state"] for frame in gone.said()] == ["LEFT"]
    assert asked == ["peek"]


async def test_a_pulse_that_comes_while_others_are_told_is_not_forgotten(room):
    line = line_of(range(1, 11))
    (page,) = await entered(room, line, [10])
    line.leave("1")
    first = pulse(line)
    line.leave("2")
    room.hear(first)
    await asyncio.sleep(0)  # it has begun

    await hears(room, pulse(line))

    assert page.last()["ahead"] == 7


@pytest.mark.parametrize(
    ("told", "ahead", "near", "due"),
    [
        (11, 10, 1000, True),  # near: every step
        (10, 10, 1000, False),  # nothing changed
        (1000, 999, 1000, True),
        (1001, 1000, 1000, False),  # one of a thousand is less than one in a hundred
        (1010, 1000, 1000, True),
        (1009, 1000, 1000, False),
        (50_500, 50_000, 1000, True),
        (50_499, 50_000, 1000, False),
        (999, 1009, 1000, False),
        (1000, 1010, 1000, False),  # back by less than one in a hundred
        (999, 1010, 1000, True),
    ],
)
async def test_a_step_is_worth_a_message_when_it_is_near_or_one_in_a_hundred(
    told, ahead, near, due
):
    connection = Told("1").connection
    connection.told = told
    other = {(connection.slot + 1) % subscribers.SILENCE_SECONDS}

    assert connection.is_due(ahead, near, other) is due
    assert connection.is_due(ahead, near, {connection.slot}) is True


async def test_far_back_everybody_hears_something_every_five_seconds_not_all_at_once(room, near):
    near(10)
    line = line_of(range(1, 1001))
    pages = await entered(room, line, [5, *range(501, 551)])
    await hears(room, pulse(line))
    close, *far = pages
    for page in pages:
        page.said()
    heard: list[list[int]] = []
    for second in range(1, 11):
        line.leave(str(1001 - second))  # behind them: nobody's place changes
        await hears(room, pulse(line.wait(1)))
        heard.append([number for number, page in enumerate(far) if page.said()])

    assert [len(numbers) for numbers in heard] == [10] * 10
    assert sorted(number for numbers in heard[:5] for number in numbers) == list(range(50))
    assert heard[5:] == heard[:5]
    assert len(close.said()) == 2


async def test_those_near_hear_every_step_and_those_far_back_one_in_a_hundred(room, near):
    near(10)
    line = line_of(range(1, 1001))
    pages = await entered(room, line, [12, 1000])
    await hears(room, pulse(line))
    close, far = pages
    close.said(), far.said()
    told: list[tuple[int, int]] = []
    for person in range(1, 12):
        line.leave(str(person))
        await hears(room, pulse(line))  # all in the same second
        told.append((len(close.said()), len(far.said())))

    assert [close for close, _ in told] == [1] * 11
    assert [far for _, far in told] == [0] * 9 + [1] + [0]


async def test_a_tick_that_comes_late_leaves_nobody_in_silence(room, near):
    """Ticks don't come at the full second: one of 2.1 after one of 0.9 has its people, too."""
    near(1)
    line = line_of(range(1, 101))
    pages = await entered(room, line, range(50, 60))
    await hears(room, pulse(line))
    for page in pages:
        page.said()

    for pause in (0.9, 1.2, 1.2, 1.2, 1.2):  # 5.7 seconds
        await hears(room, pulse(line.wait(pause)))

    assert [len(page.said()) >= 1 for page in pages] == [True] * 10


async def test_a_pause_is_told_to_everybody_at_once(room, near):
    near(1)
    line = line_of(range(1, 101), state="open", cap=0)
    pages = await entered(room, line, range(50, 60))
    await hears(room, pulse(line))
    for page in pages:
        page.said()

    line.tick(state="paused")
    await hears(room, pulse(line))

    assert [page.last()["paused"] for page in pages] == [True] * 10


async def test_who_is_called_is_told_with_the_time_until_which_to_claim(room):
    line = line_of([1, 2], cap=1)
    ann, ben = await entered(room, line, [1, 2])
    await hears(room, pulse(line))
    line.tick(state="open")
    await hears(room, pulse(line))

    called, next_one = ann.last(), ben.last()
    assert (called["state"], called["deadline"]) == ("READY", "2026-12-24T11:01:00.000+00:00")
    assert called["token"]
    assert (next_one["state"], next_one["ahead"], next_one["deadline"]) == ("WAITING", 0, None)


async def test_all_tabs_of_a_person_are_told_the_same(room):
    line = line_of([1, 2])
    one, two = await entered(room, line, [2, 2])
    await hears(room, pulse(line))
    line.leave("1")
    await hears(room, pulse(line))
    moved = one.last(), two.last()
    line.leave("2")
    await hears(room, pulse(line))

    assert moved[0] == moved[1]
    assert moved[0]["ahead"] == 0
    assert (one.last()["state"], two.last()["state"]) == ("LEFT", "LEFT")


async def test_a_page_that_was_closed_is_told_nothing_more(room):
    line = line_of([1, 2])
    one, two = await entered(room, line, [2, 2])
    await hears(room, pulse(line))
    one.said(), two.said()

    room.remove(one.connection)
    line.leave("1")
    await hears(room, pulse(line))

    assert (one.said(), two.last()["ahead"]) == ([], 0)
    room.remove(two.connection)
    assert room.people == {}


async def test_the_end_of_the_queue_is_told_and_every_page_is_closed(room):
    line = line_of([1, 2])
    pages = await entered(room, line, [1, 2])
    await hears(room, pulse(line))

    await hears(room, replace(pulse(line), queue_state="closed", epoch="", turn=0))

    assert [(page.last()["state"], page.ended) for page in pages] == [("CLOSED", 1)] * 2


# -- what everybody is told alike -----------------------------------------------------------------


async def test_a_message_is_told_once_and_taken_back_once(room):
    line = line_of([1])
    (page,) = await entered(room, line, [1])
    for notice in ("", "late", "late", "", ""):
        await hears(room, replace(pulse(line), notice=notice))

    messages = [frame["message"] for frame in page.said("notice")]
    assert messages[-2:] == ["late", ""]
    assert messages.count("late") == 1


async def test_a_message_taken_back_before_the_first_tick_here_is_taken_back(room):
    """The page was told of it from what Redis keeps; this process has heard no tick yet."""
    line = line_of([1])
    (page,) = await entered(room, line, [1])

    await hears(room, replace(pulse(line), notice=""))

    assert page.last("notice")["message"] == ""


async def test_an_outlook_is_told_when_it_changes(room):
    line = line_of([1])
    (page,) = await entered(room, line, [1])
    some, none = {"sold_out": False, "grades": []}, {"sold_out": True, "grades": []}
    for outlook in (some, some, none, none):
        await hears(room, replace(pulse(line), outlook=outlook))

    assert [frame["sold_out"] for frame in page.said("outlook")][-1] is True
    assert len(page.said("outlook")) == 0


# -- the same for those who poll ------------------------------------------------------------------


async def test_a_poll_is_answered_from_what_is_known_here(room, asked):
    line = line_of(range(1, 6))
    line.leave("2")
    await hears(room, pulse(line))
    asked.clear()

    held = QueueToken(7, "4", 4, "e1")
    answer = json.loads(room.answer(held, clock.monotonic(), 0.3) or "null")

    right = selectors.standing_body(
        event_id=7, person="4", found=line.peek("4"), now=line.now, luck=0.3, held=held
    )
    assert answer == right
    assert (answer["state"], answer["number"], answer["ahead"]) == ("WAITING", 4, 2)
    assert asked == []
    assert room.polled == {"4"}


async def test_what_is_not_known_for_sure_is_not_answered_here(room):
    line = line_of(range(1, 6), cap=1)
    token = QueueToken(7, "4", 4, "e1")
    before = room.answer(token, clock.monotonic(), 0)
    await hears(room, pulse(line))
    line.tick(state="open")  # calls 1
    line.leave("3")
    await hears(room, pulse(line))
    heard_at = room._heard_at

    assert before is None
    assert room.answer(token, heard_at, 0)
    for unknown in (
        QueueToken(7, "1", 1, "e1"),  # called
        QueueToken(7, "3", 3, "e1"),  # left
        QueueToken(7, "9", 6, "e1"),  # came since
        QueueToken(7, "4", 4, "e0"),  # of an earlier beginning
        QueueToken(7, "4", 0, "e1"),  # from the lobby
    ):
        assert room.answer(unknown, heard_at, 0) is None
    assert room.polled == {"4"}
    assert room.answer(token, heard_at + FRESH_SECONDS, 0)
    assert room.answer(token, heard_at + FRESH_SECONDS + 0.1, 0) is None  # the ticks have stopped


async def test_a_pass_that_was_renewed_is_told_again(room, asked):
    line = line_of([1], rate=0)
    (page,) = await entered(room, line, [1])
    await hears(room, pulse(line))
    line.tick(state="open")
    await hears(room, pulse(line))
    line.claim("1")
    await hears(room, pulse(line))
    first = page.said("standing")[-1]
    line.wait(100).poll("1")

    for _ in range(subscribers.SILENCE_SECONDS + 1):
        line.wait(1)
        await hears(room, pulse(line))

    again = page.said("standing")[-1]
    assert (first["state"], again["state"]) == ("ADMITTED", "ADMITTED")
    assert again["deadline"] > first["deadline"]

"""One computation a tick for all open pages: what it asks Redis, and what it pushes to whom."""

import asyncio
import json
from dataclasses import replace

import pytest
from django.conf import settings

from tests.waiting_queue.line import Line
from tests.waiting_queue.live.open_pages import OpenPage, line_of, message, receives, subscribed
from ticketing.core import clock
from waiting_queue import selectors, store
from waiting_queue.live import subscribers
from waiting_queue.live.hub import QueueHub
from waiting_queue.live.topics import FRESH_SECONDS, UNNUMBERED_SECONDS, QueueTopic
from waiting_queue.tokens import QueueToken

pytestmark = pytest.mark.usefixtures("no_server")


@pytest.fixture
async def topic() -> QueueTopic:
    return QueueTopic(7)


# -- what Redis is asked --------------------------------------------------------------------------


async def test_the_line_is_read_once_and_then_followed(topic, asked):
    line = line_of(range(1, 11))
    (page,) = await subscribed(topic, line, [10])
    await receives(topic, message(line))
    asked.clear()

    for person in ("2", "5", "1"):
        line.leave(person)
        await receives(topic, message(line))

    assert [frame["ahead"] for frame in page.pop_frames()][-3:] == [8, 7, 6]
    assert asked == []


async def test_only_those_to_whom_something_happened_are_looked_up(topic, asked):
    line = line_of(range(1, 11))
    pages = await subscribed(topic, line, range(1, 11))
    await receives(topic, message(line))
    asked.clear()

    line.leave("3")
    line.leave("7")
    await receives(topic, message(line))

    assert asked == ["peek", "peek"]
    assert [page.last()["state"] for page in (pages[2], pages[6])] == ["LEFT", "LEFT"]
    assert [pages[number].last()["ahead"] for number in (0, 4, 9)] == [0, 3, 7]


async def test_changes_of_people_elsewhere_ask_redis_nothing(topic, asked):
    line = line_of(range(1, 11))
    await subscribed(topic, line, [10])
    await receives(topic, message(line))
    asked.clear()

    for person in range(1, 9):
        line.leave(str(person))
    await receives(topic, message(line))

    assert asked == []


async def test_after_a_missed_turn_the_line_is_read_and_only_the_missing_are_looked_up(
    topic, asked
):
    line = line_of(range(1, 21))
    pages = await subscribed(topic, line, range(1, 21))
    await receives(topic, message(line))
    line.leave("4")
    line.leave("9")
    message(line)  # nobody receives this one
    asked.clear()

    await receives(topic, message(line))

    assert asked == ["ZRANGE", "peek", "peek"]
    assert [pages[number].last()["state"] for number in (3, 8)] == ["LEFT", "LEFT"]
    assert [pages[number].last()["ahead"] for number in (0, 4, 9, 19)] == [0, 3, 7, 17]


async def test_after_a_missed_turn_calls_are_pushed(topic):
    line = line_of(range(1, 6), cap=2)
    pages = await subscribed(topic, line, range(1, 6))
    await receives(topic, message(line))
    line.tick(state="open")
    message(line)
    line.claim("1")
    message(line)

    await receives(topic, message(line))

    assert [page.last()["state"] for page in pages] == ["ADMITTED", "READY", *["WAITING"] * 3]


async def test_a_new_epoch_looks_up_everybody(topic, asked):
    line = line_of(range(1, 6))
    pages = await subscribed(topic, line, range(1, 6))
    first = message(line)
    await receives(topic, first)
    store.delete_meta(7)
    line.begin(epoch="e2")
    asked.clear()

    await receives(topic, replace(message(line), turn=first.turn + 1))

    assert sorted(asked) == ["ZRANGE", *["peek"] * 5]
    assert all(page.last()["token"] for page in pages)


async def test_nobody_is_looked_up_while_the_lobby_is_drawn_and_everybody_after_it(topic, asked):
    line = line_of([], state="lobby")
    line.join("1", "2", "3")
    pages = await subscribed(topic, line, [1, 2, 3])
    await receives(topic, message(line))
    line.begin(state="open", drawing=True)
    asked.clear()

    await receives(topic, message(line))
    during = list(asked)
    line.draw(["3", "1", "2"], 1)
    line.begin(drawing=False)
    await receives(topic, message(line))

    assert during == []
    assert sorted(asked) == ["ZRANGE", "peek", "peek", "peek"]
    assert [page.last()["number"] for page in pages] == [2, 3, 1]


async def test_while_the_lobby_is_drawn_nobody_behind_it_is_told_an_outdated_place(topic):
    """Ranks mean nothing until then, and what the page was sent last need not be so any more."""
    line = line_of([], state="lobby")
    line.join("1", "2", "3")
    line.begin(state="open", drawing=True)
    line.join("9")
    (page,) = await subscribed(topic, line, [9])
    assert page.last()["ahead"] == 3
    line.leave("2")

    for _ in range(subscribers.SILENCE_SECONDS + 1):
        await receives(topic, message(line.wait(1)))

    assert {frame["ahead"] for frame in page.pop_frames()} == {2}


async def test_people_of_a_minute_are_told_their_numbers_once_it_is_drawn(topic):
    line = line_of([1, 2]).begin(mode="minute_draw")
    line.join("3", "4", "5")
    pages = await subscribed(topic, line, [2, 3, 4, 5])
    line.wait(60).tick()
    await receives(topic, message(line))
    during = [page.last()["state"] for page in pages]

    line.draw_minute(["5", "3", "4"], 3, minute=1)
    await receives(topic, message(line))

    assert during == ["WAITING", "LOBBY", "LOBBY", "LOBBY"]
    told = [page.last() for page in pages]
    assert [frame["number"] for frame in told] == [2, 4, 5, 3]
    assert [frame["ahead"] for frame in told] == [1, 3, 4, 2]
    assert {frame["mode"] for frame in told} == {"minute_draw"}


async def test_after_a_redis_failure_the_next_message_reads_the_line_again(
    topic, asked, monkeypatch
):
    line = line_of(range(1, 6))
    (page,) = await subscribed(topic, line, [5])
    await receives(topic, message(line))
    line.leave("5")

    async def down(*_: object) -> None:
        raise ConnectionError("down")

    with monkeypatch.context() as outage:
        outage.setattr(store, "apeek_all", down)
        await receives(topic, message(line))
    page.pop_frames()
    asked.clear()
    await receives(topic, message(line))

    assert page.last()["state"] == "LEFT"
    assert asked == ["ZRANGE", "peek"]


async def test_the_number_of_redis_calls_does_not_grow_with_the_pages(asked):
    """Three hundred pages, five ticks, one person a tick to whom something happens."""
    costs = {}
    for pages in (30, 300):
        store.erase(7)
        line, topic = line_of(range(1, 301)), QueueTopic(7)
        told = await subscribed(topic, line, range(301 - pages, 301))
        await receives(topic, message(line))
        asked.clear()
        for person in range(1, 6):
            line.leave(str(300 - person))
            await receives(topic, message(line.wait(1)))
        costs[pages] = len(asked)
        assert told[-1].last()["ahead"] == 294

    assert costs == {30: 5, 300: 5}


# -- what is pushed, and when ---------------------------------------------------------------------


async def test_messages_that_pile_up_are_pushed_together(topic, asked):
    line = line_of(range(1, 11))
    near, gone = await subscribed(topic, line, [10, 3])
    await receives(topic, message(line))
    near.pop_frames(), gone.pop_frames(), asked.clear()
    messages = []
    for person in ("1", "3", "2"):
        line.leave(person)
        messages.append(message(line))

    await receives(topic, *messages)

    assert [frame["ahead"] for frame in near.pop_frames()] == [6]
    assert [frame["state"] for frame in gone.pop_frames()] == ["LEFT"]
    assert asked == ["peek"]


async def test_a_message_that_arrives_during_a_push_is_pushed_next(topic):
    line = line_of(range(1, 11))
    (page,) = await subscribed(topic, line, [10])
    line.leave("1")
    first = message(line)
    line.leave("2")
    topic.receive(first)
    await asyncio.sleep(0)  # it has begun

    await receives(topic, message(line))

    assert page.last()["ahead"] == 7


@pytest.mark.parametrize(
    ("sent", "ahead", "near", "due"),
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
    sent, ahead, near, due
):
    subscriber = OpenPage("1").subscriber
    subscriber.sent_ahead = sent
    other = {(subscriber.slot + 1) % subscribers.SILENCE_SECONDS}

    assert subscriber.is_due(ahead, near, other) is due
    assert subscriber.is_due(ahead, near, {subscriber.slot}) is True


async def test_while_there_is_room_everybody_gets_place_and_size_with_every_tick(topic):
    line = line_of(range(1, 3001))
    pages = await subscribed(topic, line, [1, 1_500, 2_900])
    await receives(topic, message(line))
    for page in pages:
        page.pop_frames()

    for second in range(1, 4):
        line.leave(str(3_001 - second))  # behind them: nobody's place changes
        await receives(topic, message(line.wait(1)))
        told = [page.pop_frames() for page in pages]

        assert [len(frames) for frames in told] == [1, 1, 1]
        assert {frames[0]["total"] for frames in told} == {3_000 - second}
        assert [frames[0]["ahead"] for frames in told] == [0, 1_499, 2_899]


async def test_in_the_lobby_everybody_gets_its_size_with_every_tick(topic):
    line = Line().begin(state="lobby")
    line.join("1", "2")
    pages = await subscribed(topic, line, [1, 2])
    await receives(topic, message(line))
    line.join("3")
    for page in pages:
        page.pop_frames()

    await receives(topic, message(line.wait(1)))

    assert [page.last()["lobby"] for page in pages] == [3, 3]


@pytest.mark.parametrize(
    ("most", "tick_ms", "crowded"),
    [(3, 1_000, False), (2, 1_000, True), (3, 500, True), (6, 500, False), (3, 3_000, False)],
)
async def test_pages_of_all_events_and_every_tick_count(monkeypatch, most, tick_ms, crowded):
    monkeypatch.setattr(settings, "LIVE_EVERYBODY", most)
    monkeypatch.setattr(settings, "TICK_MS", tick_ms)
    line, hub = line_of([1, 2]), QueueHub.current()
    hub.subscribe(7, OpenPage("1").subscriber)
    hub.subscribe(7, OpenPage("2").subscriber)
    hub.subscribe(8, OpenPage("1").subscriber)

    await hub.receive(message(line).to_text())

    assert hub.topics[7].is_crowded is crowded


async def test_far_back_every_page_gets_a_message_each_five_seconds_not_all_at_once(topic, near):
    near(10)
    line = line_of(range(1, 1001))
    pages = await subscribed(topic, line, [5, *range(501, 551)])
    await receives(topic, message(line))
    close, *far = pages
    for page in pages:
        page.pop_frames()
    heard: list[list[int]] = []
    for second in range(1, 11):
        line.leave(str(1001 - second))  # behind them: nobody's place changes
        await receives(topic, message(line.wait(1)))
        heard.append([number for number, page in enumerate(far) if page.pop_frames()])

    assert [len(numbers) for numbers in heard] == [10] * 10
    assert sorted(number for numbers in heard[:5] for number in numbers) == list(range(50))
    assert heard[5:] == heard[:5]
    assert len(close.pop_frames()) == 2


async def test_near_pages_get_every_step_and_far_ones_one_in_a_hundred(topic, near):
    near(10)
    line = line_of(range(1, 1001))
    pages = await subscribed(topic, line, [12, 1000])
    await receives(topic, message(line))
    close, far = pages
    close.pop_frames(), far.pop_frames()
    told: list[tuple[int, int]] = []
    for person in range(1, 12):
        line.leave(str(person))
        await receives(topic, message(line))  # all in the same second
        told.append((len(close.pop_frames()), len(far.pop_frames())))

    assert [close for close, _ in told] == [1] * 11
    assert [far for _, far in told] == [0] * 9 + [1] + [0]


async def test_a_late_tick_skips_nobodys_slot(topic, near):
    """Ticks don't come at the full second: one of 2.1 after one of 0.9 has its people, too."""
    near(1)
    line = line_of(range(1, 101))
    pages = await subscribed(topic, line, range(50, 60))
    await receives(topic, message(line))
    for page in pages:
        page.pop_frames()

    for pause in (0.9, 1.2, 1.2, 1.2, 1.2):  # 5.7 seconds
        await receives(topic, message(line.wait(pause)))

    assert [len(page.pop_frames()) >= 1 for page in pages] == [True] * 10


async def test_a_pause_is_pushed_to_everybody_at_once(topic, near):
    near(1)
    line = line_of(range(1, 101), state="open", cap=0)
    pages = await subscribed(topic, line, range(50, 60))
    await receives(topic, message(line))
    for page in pages:
        page.pop_frames()

    line.tick(state="paused")
    await receives(topic, message(line))

    assert [page.last()["paused"] for page in pages] == [True] * 10


async def test_a_call_is_pushed_with_its_deadline(topic):
    line = line_of([1, 2], cap=1)
    ann, ben = await subscribed(topic, line, [1, 2])
    await receives(topic, message(line))
    line.tick(state="open")
    await receives(topic, message(line))

    called, next_one = ann.last(), ben.last()
    assert (called["state"], called["deadline"]) == ("READY", "2026-12-24T11:01:00.000+00:00")
    assert called["token"]
    assert (next_one["state"], next_one["ahead"], next_one["deadline"]) == ("WAITING", 0, None)


async def test_all_tabs_of_a_person_get_the_same(topic):
    line = line_of([1, 2])
    one, two = await subscribed(topic, line, [2, 2])
    await receives(topic, message(line))
    line.leave("1")
    await receives(topic, message(line))
    moved = one.last(), two.last()
    line.leave("2")
    await receives(topic, message(line))

    assert moved[0] == moved[1]
    assert moved[0]["ahead"] == 0
    assert (one.last()["state"], two.last()["state"]) == ("LEFT", "LEFT")


async def test_a_closed_page_gets_nothing_more(topic):
    line = line_of([1, 2])
    one, two = await subscribed(topic, line, [2, 2])
    await receives(topic, message(line))
    one.pop_frames(), two.pop_frames()

    topic.remove(one.subscriber)
    line.leave("1")
    await receives(topic, message(line))

    assert (one.pop_frames(), two.last()["ahead"]) == ([], 0)
    topic.remove(two.subscriber)
    assert topic.people == {}


async def test_the_end_of_the_queue_is_pushed_and_every_page_disconnected(topic):
    line = line_of([1, 2])
    pages = await subscribed(topic, line, [1, 2])
    await receives(topic, message(line))

    await receives(topic, replace(message(line), queue_state="closed", epoch="", turn=0))

    assert [(page.last()["state"], page.closed) for page in pages] == [("CLOSED", 1)] * 2


# -- announcements --------------------------------------------------------------------------------


async def test_a_notice_is_pushed_once_and_taken_back_once(topic):
    line = line_of([1])
    (page,) = await subscribed(topic, line, [1])
    for notice in ("", "late", "late", "", ""):
        await receives(topic, replace(message(line), notice=notice))

    messages = [frame["message"] for frame in page.pop_frames("notice")]
    assert messages[-2:] == ["late", ""]
    assert messages.count("late") == 1


async def test_a_notice_taken_back_before_the_first_message_here_is_taken_back(topic):
    """The page was greeted with it from Redis; this process has received no message yet."""
    line = line_of([1])
    (page,) = await subscribed(topic, line, [1])

    await receives(topic, replace(message(line), notice=""))

    assert page.last("notice")["message"] == ""


async def test_rank_outlook_and_notice_are_one_write(topic):
    line = line_of([1, 2])
    first, second = await subscribed(topic, line, [1, 2])
    await receives(topic, message(line))
    before = second.writes
    line.leave("1")

    news = {"outlook": {"sold_out": True, "grades": []}, "notice": "late"}
    await receives(topic, replace(message(line), **news))

    assert [frame["type"] for frame in second.frames[-3:]] == ["standing", "outlook", "notice"]
    assert second.writes == before + 1
    assert first.last("notice")["message"] == "late"


async def test_an_outlook_is_pushed_when_it_changes(topic):
    line = line_of([1])
    (page,) = await subscribed(topic, line, [1])
    some, none = {"sold_out": False, "grades": []}, {"sold_out": True, "grades": []}
    for outlook in (some, some, none, none):
        await receives(topic, replace(message(line), outlook=outlook))

    assert [frame["sold_out"] for frame in page.pop_frames("outlook")][-1] is True
    assert len(page.pop_frames("outlook")) == 0


# -- the same for those who poll ------------------------------------------------------------------


async def test_a_poll_is_answered_from_what_is_known_here(topic, asked):
    line = line_of(range(1, 6))
    line.leave("2")
    await receives(topic, message(line))
    asked.clear()

    held = QueueToken(7, "4", 4, "e1")
    answer = json.loads(topic.answer(held, clock.monotonic(), 0.3) or "null")

    right = selectors.standing_body(
        event_id=7, person="4", standing=line.peek("4"), now=line.now, jitter=0.3, held=held
    )
    assert answer == right
    assert (answer["state"], answer["number"], answer["ahead"]) == ("WAITING", 4, 2)
    assert asked == []
    assert topic.polled == {"4"}


async def test_a_poll_that_is_not_certain_is_not_answered_here(topic):
    line = line_of(range(1, 6), cap=1)
    token = QueueToken(7, "4", 4, "e1")
    before = topic.answer(token, clock.monotonic(), 0)
    await receives(topic, message(line))
    line.tick(state="open")  # calls 1
    line.leave("3")
    await receives(topic, message(line))
    heard_at = topic._received_at

    assert before is None
    assert topic.answer(token, heard_at, 0)
    for unknown in (
        QueueToken(7, "1", 1, "e1"),  # called
        QueueToken(7, "3", 3, "e1"),  # left
        QueueToken(7, "9", 6, "e1"),  # came since
        QueueToken(7, "4", 4, "e0"),  # of an earlier beginning
        QueueToken(7, "4", 0, "e1"),  # from the lobby
    ):
        assert topic.answer(unknown, heard_at, 0) is None
    assert topic.polled == {"4"}
    assert topic.answer(token, heard_at + FRESH_SECONDS, 0, turn=1)
    assert topic.answer(token, heard_at + FRESH_SECONDS + 0.1, 0, turn=1) is None  # ticks stopped
    assert topic.answer(token, heard_at + UNNUMBERED_SECONDS + 0.1, 0) is None


async def test_who_asked_redis_since_the_line_was_read_is_told_no_older_place(topic):
    line = line_of(range(1, 6))
    await receives(topic, message(line))  # the first one: the line is read
    line.leave("2")
    seen = line.peek("4")
    held, moment = QueueToken(7, "4", 4, "e1"), topic._received_at

    assert topic.answer(held, moment, 0, turn=seen.turn) is None
    await receives(topic, message(line))
    answer = json.loads(topic.answer(held, moment, 0, turn=seen.turn) or "null")
    assert (seen.ahead, answer["ahead"]) == (2, 2)


async def test_a_renewed_pass_is_pushed_again(topic, asked):
    line = line_of([1], rate=0)
    (page,) = await subscribed(topic, line, [1])
    await receives(topic, message(line))
    line.tick(state="open")
    await receives(topic, message(line))
    line.claim("1")
    await receives(topic, message(line))
    first = page.pop_frames("standing")[-1]
    line.wait(100).poll("1")

    for _ in range(subscribers.SILENCE_SECONDS + 1):
        line.wait(1)
        await receives(topic, message(line))

    again = page.pop_frames("standing")[-1]
    assert (first["state"], again["state"]) == ("ADMITTED", "ADMITTED")
    assert again["deadline"] > first["deadline"]

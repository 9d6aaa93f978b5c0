"""What one person is told never gets worse: not on a socket, nor by a poll at another process."""

import json
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.waiting_queue.line import Line
from tests.waiting_queue.live.open_pages import OpenPage, line_of, message, receives
from ticketing.core import clock
from waiting_queue import store
from waiting_queue.live import frames, topics
from waiting_queue.live.topics import QueueTopic
from waiting_queue.store import Standing
from waiting_queue.tokens import QueueToken

pytestmark = pytest.mark.usefixtures("no_server")


@pytest.fixture
async def ahead() -> QueueTopic:
    """A process that hears every tick at once."""
    return QueueTopic(7)


@pytest.fixture
async def behind() -> QueueTopic:
    """A process that hears the ticks later."""
    return QueueTopic(7)


def greeted_from_redis(topic: QueueTopic, line: Line, person: str) -> OpenPage:
    page, standing = OpenPage(person), line.poll(person)
    topic.add(page.subscriber)
    frame = frames.standing_frame(7, person, standing, line.now)
    page.subscriber.push_standing(standing, frames.dumps(frame))
    return page


def held(line: Line, person: str) -> QueueToken:
    standing = line.peek(person)
    return QueueToken(7, person, standing.number, standing.epoch)


def places(page: OpenPage) -> list[int]:
    return [frame["ahead"] for frame in page.pop_frames()]


async def greeted_between_two_ticks(topic: QueueTopic) -> OpenPage:
    """Greeted from Redis, which is a tick ahead of the message that this process pushes next."""
    line = line_of(range(1, 21))
    await receives(topic, message(line))
    late = message(line)
    line.leave("1"), line.leave("2")
    page = greeted_from_redis(topic, line, "20")
    await receives(topic, late)
    line.leave("3")
    await receives(topic, message(line))
    return page


async def test_a_push_is_never_behind_the_first_answer(behind):
    page = await greeted_between_two_ticks(behind)

    assert places(page) == [17, 16]


async def test_control_without_the_turn_the_place_gets_worse(behind, monkeypatch):
    def text_for(self: QueueTopic, subscriber: Any, frames: Any, slots: set[int]) -> str | None:
        assert self._ranks is not None
        return frames.waiting(subscriber.number, self._ranks.ahead(subscriber.number))

    monkeypatch.setattr(topics.QueueTopic, "_text_for", text_for)

    page = await greeted_between_two_ticks(behind)

    assert places(page) == [17, 19, 16]


async def greeted_during_a_look_up(topic: QueueTopic, monkeypatch: pytest.MonkeyPatch) -> OpenPage:
    """Everybody is looked up after a draw; meanwhile the head leaves and a page is opened."""
    line, pages = line_of(range(1, 6)), list[OpenPage]()
    topic.add(OpenPage("5").subscriber)  # another tab, which is still to be greeted
    look_up = store.apeek_all

    async def slow_look_up(*asked: Any) -> dict[str, Standing]:
        standings = await look_up(*asked)
        if not pages:
            line.leave("1")
            pages.append(greeted_from_redis(topic, line, "5"))
        return standings

    monkeypatch.setattr(store, "apeek_all", slow_look_up)
    await receives(topic, message(line))
    await receives(topic, message(line))
    return pages[0]


async def test_a_look_up_is_never_behind_the_first_answer(behind, monkeypatch):
    page = await greeted_during_a_look_up(behind, monkeypatch)

    assert places(page) == [3, 3]


async def test_control_without_knowing_who_was_greeted_the_place_gets_worse(behind, monkeypatch):
    push_changed = QueueTopic._push_changed

    async def as_if_all_were(self: QueueTopic, frames: Any, standings: Any, _: Any, news: Any):
        await push_changed(self, frames, standings, set(self.subscribers), news)

    monkeypatch.setattr(QueueTopic, "_push_changed", as_if_all_were)

    page = await greeted_during_a_look_up(behind, monkeypatch)

    assert places(page) == [3, 4, 3]


async def test_whoever_asks_for_a_look_up_during_another_one_gets_it_with_the_next_message(
    behind, monkeypatch
):
    line = line_of(range(1, 6))
    page = greeted_from_redis(behind, line, "5")
    await receives(behind, message(line))
    look_up, looked_up = store.apeek_all, list[list[str]]()

    async def slow_look_up(event_id: int, people: list[str], now: Any) -> dict[str, Standing]:
        looked_up.append(people)
        if len(looked_up) == 1:
            behind.look_up_next(page.subscriber)
        return await look_up(event_id, people, now)

    monkeypatch.setattr(store, "apeek_all", slow_look_up)
    for _ in range(3):
        await receives(behind, message(line))

    assert looked_up == [[], ["5"], []]


async def test_a_call_is_pushed_to_a_page_that_was_greeted_before_it(behind, monkeypatch):
    """Its first answer came during the look-up, but knew less."""
    line = line_of(range(1, 3), cap=1)
    earlier = line.poll("1")
    line.tick(state="open")
    called, page = message(line), OpenPage("1")
    behind.add(OpenPage("1").subscriber)
    look_up = store.apeek_all

    async def slow_look_up(*asked: Any) -> dict[str, Standing]:
        standings = await look_up(*asked)
        behind.add(page.subscriber)
        text = frames.dumps(frames.standing_frame(7, "1", earlier, line.now))
        page.subscriber.push_standing(earlier, text)
        return standings

    monkeypatch.setattr(store, "apeek_all", slow_look_up)
    await receives(behind, called)

    assert [frame["state"] for frame in page.pop_frames()] == ["WAITING", "READY"]


async def polled(topic: QueueTopic, token: QueueToken, turn: int) -> dict[str, Any] | None:
    known = topic.answer(token, clock.monotonic(), 0.5, turn)
    return json.loads(known) if known else None


async def test_a_process_that_is_behind_does_not_answer_who_has_seen_more(
    ahead, behind, monkeypatch
):
    monkeypatch.setattr(topics, "FRESH_SECONDS", 60.0)  # a slow machine is no stopped tick
    monkeypatch.setattr(topics, "UNNUMBERED_SECONDS", 60.0)
    line = line_of(range(1, 21))
    for topic in (ahead, behind):
        await receives(topic, message(line))  # each reads the line
    first = message(line)
    await receives(ahead, first), await receives(behind, first)
    line.leave("1"), line.leave("2")
    second = message(line)
    await receives(ahead, second)
    token = held(line, "20")

    told = await polled(ahead, token, 0)
    later = await polled(behind, token, told["turn"])
    control = await polled(behind, token, 0)
    await receives(behind, second)
    caught_up = await polled(behind, token, told["turn"])

    assert (told["ahead"], later, caught_up["ahead"]) == (17, None, 17)
    assert control["ahead"] == 19  # what it would have said


async def test_an_answer_from_redis_is_ahead_of_the_last_message(behind, monkeypatch):
    monkeypatch.setattr(topics, "FRESH_SECONDS", 60.0)
    line = line_of(range(1, 21))
    for _ in range(2):
        await receives(behind, message(line))
    line.leave("1")
    standing = line.poll("20")

    answer = await polled(behind, held(line, "20"), standing.turn)
    await receives(behind, message(line))
    after = await polled(behind, held(line, "20"), standing.turn)

    assert (standing.ahead, answer, after["ahead"]) == (18, None, 18)


async def test_a_line_read_after_its_message_is_ahead_of_it(ahead, behind, monkeypatch):
    monkeypatch.setattr(topics, "FRESH_SECONDS", 60.0)
    line = line_of(range(1, 21))
    await receives(behind, message(line))
    same = message(line)
    await receives(behind, same)
    line.leave("1")
    await receives(ahead, same)  # reads the line: it knows of the leaver, the other does not

    told = await polled(ahead, held(line, "20"), 1)
    elsewhere = await polled(behind, held(line, "20"), told["turn"])

    assert (told["ahead"], elsewhere) == (18, None)


async def test_a_socket_opened_with_a_token_is_greeted_from_memory_if_that_is_not_older(
    behind, asked, monkeypatch
):
    monkeypatch.setattr(topics, "FRESH_SECONDS", 60.0)
    line = line_of(range(1, 21))
    for _ in range(2):
        await receives(behind, message(line))
    token, last = held(line, "20"), behind.message.turn
    asked.clear()

    greeted = {turn: OpenPage("20") for turn in (0, last, last + 1)}
    known = [behind.greet(page.subscriber, token, turn) for turn, page in greeted.items()]

    assert known == [False, True, False]
    assert [places(page) for page in greeted.values()] == [[], [19], []]
    assert asked == []


# -- a tick that could not be pushed --------------------------------------------------------------


@pytest.fixture
def look_up_fails(monkeypatch: pytest.MonkeyPatch) -> Callable[[], None]:
    """The next look-up meets an outage."""
    works = store.apeek_all

    async def down(*_: Any) -> Any:
        monkeypatch.setattr(store, "apeek_all", works)
        raise ConnectionError("down")

    return lambda: monkeypatch.setattr(store, "apeek_all", down)


async def test_a_notice_is_told_although_the_look_up_of_its_tick_failed(behind, look_up_fails):
    line = line_of(range(1, 6))
    page = greeted_from_redis(behind, line, "5")
    await receives(behind, message(line))
    page.pop_frames("notice")
    look_up_fails()
    line.leave("5")

    await receives(behind, replace(message(line), notice="doors open late"))
    during = page.pop_frames("notice")
    await receives(behind, replace(message(line), notice="doors open late"))

    assert during == []
    assert [frame["message"] for frame in page.pop_frames("notice")] == ["doors open late"]
    assert page.last()["state"] == "LEFT"

"""Open pages without sockets: the frames that they are sent are kept in a list."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import Any

from tests.waiting_queue.line import Line
from waiting_queue import services, store
from waiting_queue.live.frames import Frames
from waiting_queue.live.hub import QueueHub
from waiting_queue.live.subscribers import QueueSubscriber
from waiting_queue.live.topics import QueueTopic
from waiting_queue.tick_message import TickMessage


@dataclass
class OpenPage:
    """The connection and the subscriber of a person's page."""

    person: str
    frames: list[dict[str, Any]] = field(default_factory=list)
    closed: int = 0
    writes: int = 0

    def __post_init__(self) -> None:
        self.subscriber = QueueSubscriber(self, self.person)

    async def send_text(self, *texts: str) -> None:
        self.writes += 1
        self.frames.extend(map(json.loads, texts))

    def close_soon(self) -> None:
        self.closed += 1

    abort = close_soon

    def pop_frames(self, kind: str = "standing") -> list[dict[str, Any]]:
        """The frames of this kind since the last call."""
        found = [frame for frame in self.frames if frame["type"] == kind]
        self.frames = [frame for frame in self.frames if frame["type"] != kind]
        return found

    def last(self, kind: str = "standing") -> dict[str, Any]:
        return self.pop_frames(kind)[-1]


def line_of(people: Iterable[int], **rules: Any) -> Line:
    """A line in which everybody waits."""
    line = Line().begin(**{"state": "paused", "rate": 0} | rules)
    answers = store.run_each([store.join(7, str(person), line.now) for person in people])
    assert {answer.outcome for answer in answers} <= {"joined"}
    return line


def message(line: Line) -> TickMessage:
    """What a tick publishes at this moment of the line's own time."""
    found = store.run(store.tick_message(line.event_id))
    assert found is not None
    return replace(found, at_ms=store.ms(line.now))


async def subscribed(topic: QueueTopic, line: Line, people: Iterable[Any]) -> list[OpenPage]:
    """Pages of these people, each of which has its first standing."""
    at_ms = store.ms(line.now)
    frames = Frames(TickMessage(line.event_id, epoch="e1", queue_state="paused", at_ms=at_ms))
    pages = []
    for person in map(str, people):
        page, standing = OpenPage(person), line.peek(person)
        topic.add(page.subscriber)
        page.subscriber.push_standing(standing, frames.changed(person, standing))
        pages.append(page)
    return pages


async def receives(topic: QueueTopic, *messages: TickMessage) -> None:
    """These arrive at once; returns when all of them were pushed."""
    for one in messages:
        topic.receive(one)
    assert topic.task is not None
    await topic.task


async def opened(line: Line, person: str) -> OpenPage:
    """A page opened through the hub of this event loop."""
    page = OpenPage(person)
    asked = services.astanding(event_id=line.event_id, person=person, now=line.now)
    await QueueHub.current().open_subscription(line.event_id, page.subscriber, asked, line.now)
    return page

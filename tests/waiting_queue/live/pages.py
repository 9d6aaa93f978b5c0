"""Open pages without sockets: what they are told is kept in a list."""

import json
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.waiting_queue.line import Line
from ticketing.core.live.send_buffer import SendBuffer
from waiting_queue import services, store
from waiting_queue.live import hub
from waiting_queue.live.frames import Frames
from waiting_queue.live.subscribers import Connection, Room
from waiting_queue.tick_message import TickMessage


@dataclass
class Told:
    """Somebody who is told things."""

    person: str
    frames: list[dict[str, Any]] = field(default_factory=list)
    ended: int = 0

    def __post_init__(self) -> None:
        self.connection = Connection(self.person, SendBuffer(self.take, self.end), self.end)

    async def take(self, text: str) -> None:
        self.frames.append(json.loads(text))

    def end(self) -> None:
        self.ended += 1

    def said(self, kind: str = "standing") -> list[dict[str, Any]]:
        """What was said since the last time somebody asked."""
        said = [frame for frame in self.frames if frame["type"] == kind]
        self.frames = [frame for frame in self.frames if frame["type"] != kind]
        return said

    def last(self, kind: str = "standing") -> dict[str, Any]:
        return self.said(kind)[-1]


def line_of(people: Iterable[int], **rules: Any) -> Line:
    """A line in which everybody waits."""
    line = Line().begin(**{"state": "paused", "rate": 0} | rules)
    answers = store.run_each([store.join(7, str(person), line.now) for person in people])
    assert {answer.outcome for answer in answers} <= {"joined"}
    return line


def pulse(line: Line) -> TickMessage:
    """What a tick tells at this moment of the line's own time."""
    from dataclasses import replace

    found = store.run(store.tick_message(line.event_id))
    assert found is not None
    return replace(found, at_ms=store.ms(line.now))


async def entered(room: Room, line: Line, people: Iterable[Any]) -> list[Told]:
    """Pages of these people, each told where they stand."""
    told = []
    for person in map(str, people):
        page, found = Told(person), line.peek(person)
        room.add(page.connection)
        page.connection.tell(found, Frames(pulse_without_turn(line)).news(person, found))
        told.append(page)
    return told


def pulse_without_turn(line: Line) -> TickMessage:
    return TickMessage(line.event_id, epoch="e1", queue_state="paused", at_ms=store.ms(line.now))


async def hears(room: Room, *pulses: TickMessage) -> None:
    """These come in one breath; back when everybody was told."""
    for one in pulses:
        room.hear(one)
    assert room._working is not None
    await room._working


async def watching(line: Line, person: str) -> Told:
    """A page opened through the hub of this event loop."""
    page = Told(person)
    asked = services.astanding(event_id=line.event_id, person=person, now=line.now)
    await hub.watch(line.event_id, page.connection, asked, line.now)
    return page

"""What a tick publishes to every server process: the state of the line, and who changed place."""

import json
from dataclasses import dataclass, field, replace
from typing import Any

# A person and the number they had; 0 if they had none yet.
Change = tuple[str, int]
# Of a lane: id, head and last (as in the message), people waiting, and its share of all calls.
LaneState = tuple[int, int, int, int, str]


@dataclass(frozen=True, slots=True)
class TickMessage:
    """`turn` counts up by one: a process that misses a turn reads the whole line again."""

    event_id: int
    turn: int = 0
    epoch: str = ""
    queue_state: str = "closed"
    drawing: int = 0  # 1 while the lobby gets its numbers: until then ranks mean nothing
    absence_ms: int = 0
    head: int = 0  # the first number in everybody's lane; the next to be given if nobody waits
    last: int = 0  # the last number given
    waiting: int = 0
    lobby: int = 0
    ready: int = 0
    inside: int = 0
    admitted: int = 0
    pace: str = ""  # what estimates are made of
    mode: str = ""
    lanes: list[LaneState] = field(default_factory=list)  # of an event that has lanes
    joins: int = 0  # a second, lately
    changes: list[Change] = field(default_factory=list)
    at_ms: int = 0
    notice: str = ""
    outlook: dict[str, Any] | None = None

    def comes_after(self, before: "TickMessage") -> bool:
        """Whether no message is missing in between."""
        return (self.epoch, self.turn) == (before.epoch, before.turn + 1)

    def to_text(self) -> str:
        """The event comes first: a process without subscribers there need not parse the rest."""
        fields = {name: getattr(self, name) for name in self.__slots__}
        return f"{self.event_id} {json.dumps(fields, separators=(',', ':'))}"

    def without_changes(self) -> str:
        """The text without who changed place, for those who come later."""
        return replace(self, changes=[]).to_text()

    @classmethod
    def from_text(cls, text: str) -> "TickMessage":
        """Fields that another release has added are ignored."""
        fields: dict[str, Any] = json.loads(text.partition(" ")[2])
        fields["changes"] = [(person, number) for person, number in fields["changes"]]
        return cls(**{name: fields[name] for name in cls.__slots__ if name in fields})


def event_of(text: str) -> int:
    return int(text.partition(" ")[0])

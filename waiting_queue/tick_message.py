"""What a tick tells every server: how the line looks now, and to whom something happened."""

import json
from dataclasses import asdict, dataclass, field, replace
from typing import Any

# A person and the number they had; 0 if they had none yet.
News = tuple[str, int]


@dataclass(frozen=True, slots=True)
class TickMessage:
    """`turn` counts up by one: who misses a turn asks for the whole line again."""

    event_id: int
    turn: int = 0
    epoch: str = ""
    queue_state: str = "closed"
    drawing: int = 0  # 1 while the lobby gets its numbers: until then places mean nothing
    absence_ms: int = 0
    head: int = 0  # the number of the first in line; the next to be given if nobody waits
    last: int = 0  # the last number given
    waiting: int = 0
    lobby: int = 0
    ready: int = 0
    inside: int = 0
    admitted: int = 0
    fast: float = 0
    slow: float = 0
    news: list[News] = field(default_factory=list)
    at_ms: int = 0
    notice: str = ""
    outlook: dict[str, Any] | None = None

    def comes_after(self, before: "TickMessage") -> bool:
        """Nothing is missing in between."""
        return (self.epoch, self.turn) == (before.epoch, before.turn + 1)

    def to_text(self) -> str:
        """The event comes first, for those who have nobody there and need not read on."""
        return f"{self.event_id} {json.dumps(asdict(self), separators=(',', ':'))}"

    def without_news(self) -> str:
        return replace(self, news=[]).to_text()

    @classmethod
    def from_text(cls, text: str) -> "TickMessage":
        """What another release says besides is passed over."""
        said: dict[str, Any] = json.loads(text.partition(" ")[2])
        said["news"] = [(person, number) for person, number in said["news"]]
        return cls(**{name: said[name] for name in cls.__slots__ if name in said})


def event_of(text: str) -> int:
    return int(text.partition(" ")[0])

"""A queue's line in Redis, handled directly: rules as values, time as a value."""

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from typing import Any

from ticketing.core import redis
from waiting_queue import keys, store
from waiting_queue.store import (
    DrawResult,
    Invitation,
    Rules,
    ScriptResult,
    Standing,
    TickResult,
)

START = datetime(2026, 12, 24, 11, 0, tzinfo=UTC)
RULES = Rules(
    epoch="e1",
    state="open",
    drawing=False,
    capacity=50_000,
    rate=10,
    cap=800,
    claim_ms=60_000,
    pass_ms=300_000,
    pass_max_ms=1_800_000,
    absence_ms=300_000,
    lines_allowed=0,
)


@dataclass
class Line:
    event_id: int = 7
    rules: Rules = RULES
    now: datetime = field(default=START)

    def begin(self, **changes: Any) -> "Line":
        self.rules = replace(self.rules, **changes)
        store.run(store.configure(self.event_id, self.rules, self.now, new=True))
        return self

    def wait(self, seconds: float) -> "Line":
        self.now += timedelta(seconds=seconds)
        return self

    def join(self, *people: str, lane: int = 0) -> ScriptResult:
        for person in people:
            result = store.run(store.join(self.event_id, person, self.now, lane=lane))
        return result

    def tick(self, *, is_behind: bool = False, **changes: Any) -> TickResult:
        self.rules = replace(self.rules, **changes)
        return store.run(store.tick(self.event_id, self.rules, self.now, is_behind=is_behind))

    def poll(self, person: str) -> Standing:
        standing = store.run(store.poll(self.event_id, person, self.now))
        assert standing is not None
        return standing

    def peek(self, person: str) -> Standing:
        return store.run(store.peek(self.event_id, person, self.now))

    def claim(self, person: str, *, waited_ms: int = 0) -> ScriptResult:
        return store.run(store.claim(self.event_id, person, self.now, waited_ms=waited_ms))

    def leave(self, person: str, how: str = "left", why: str = "") -> str:
        return store.run(store.leave(self.event_id, person, self.now, how=how, why=why))

    def invite(self, person: str, code: str = "") -> Invitation:
        return store.run(store.invite(self.event_id, person, code or f"CODE{person}", self.now))

    def join_party(self, person: str, code: str) -> ScriptResult:
        return store.run(store.join_party(self.event_id, person, code, self.now))

    def party(self, leader: str, *companions: str) -> ScriptResult:
        """The leader, who waits already, and these companions."""
        code = self.invite(leader).code
        for person in companions:
            result = self.join_party(person, code)
        return result

    def draw(self, people: Sequence[str], first: int, *, minute: int = 0) -> DrawResult:
        epoch = self.rules.epoch
        call = store.draw(self.event_id, people, first, self.now, epoch=epoch, minute=minute)
        return store.run(call)

    def draw_minute(self, people: Sequence[str], first: int, *, minute: int) -> None:
        self.draw(people, first, minute=minute)
        store.run(store.finish_minute(self.event_id, minute, epoch=self.rules.epoch))

    def demote(self, *people: str, batch: str = "1", why: str = "many accounts") -> list[str]:
        return store.run(store.demote(self.event_id, people, batch=batch, why=why, now=self.now))

    def undo_demotion(self, person: str) -> bool:
        return store.run(store.undo_demotion(self.event_id, person, self.now))

    def places(self) -> dict[str, int]:
        """The line: who has which number."""
        line = redis.queue_client().zrange(keys.key(self.event_id, "line"), 0, -1, withscores=True)
        return {person: int(number) for person, number in line}

    def state(self, person: str) -> str:
        return self.peek(person).state

    def sizes(self) -> tuple[int, int, int]:
        shot = store.run(store.snapshot(self.event_id))
        return int(shot["waiting"]), int(shot["ready"]), int(shot["inside"])

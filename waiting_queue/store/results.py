"""What the scripts take and return, as values."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waiting_queue.tick_message import TickMessage

# In the order of the script's answer.
TICK_MESSAGE_FIELDS = (
    *("turn", "epoch", "queue_state", "drawing", "absence_ms", "head", "last"),
    *("waiting", "lobby", "ready", "inside", "admitted"),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a person is, and how the line around them looks."""

    state: str
    number: int
    ahead: int
    deadline_ms: int
    admitted_ms: int
    waiting: int
    lobby: int
    queue_state: str
    fast: float
    slow: float
    epoch: str
    lines_allowed: int
    absence_ms: int
    turn: int = 0  # of the first tick message that contains all that this standing knows
    just_joined: bool = False


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The outcome of a join or a claim, with the person's standing or the reason of a block."""

    outcome: str
    standing: Standing | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Rules:
    """The settings of a queue in the units of the scripts."""

    epoch: str
    state: str
    drawing: bool
    capacity: int
    rate: float
    cap: int
    claim_ms: int
    pass_ms: int
    pass_max_ms: int
    absence_ms: int
    lines_allowed: int

    def as_args(self) -> list[Any]:
        flags = [self.epoch, self.state, int(self.drawing), self.capacity, self.rate, self.cap]
        times = [self.claim_ms, self.pass_ms, self.pass_max_ms, self.absence_ms]
        return [*flags, *times, self.lines_allowed]


@dataclass(frozen=True, slots=True)
class TickResult:
    """What one tick did, and the sizes it left behind."""

    lost: bool
    called: list[str]
    expired: int = 0
    absent: int = 0
    lobby: int = 0
    waiting: int = 0
    ready: int = 0
    inside: int = 0
    more: bool = False

    def after(self, before: "TickResult") -> "TickResult":
        """Two rounds of one tick, added up."""
        if self.lost:
            return self
        return replace(
            self,
            called=before.called + self.called,
            expired=before.expired + self.expired,
            absent=before.absent + self.absent,
        )


def ms(moment: datetime) -> int:
    return int(moment.timestamp() * 1000)


def parse_standing(answer: list[Any], *, just_joined: bool = False) -> Standing:
    state, number, ahead, deadline, admitted, waiting, lobby, queue_state, *meta = answer
    fast, slow, epoch, lines_allowed, absence_ms, turn = meta
    return Standing(
        state=state,
        number=int(number),
        ahead=int(ahead),
        deadline_ms=int(deadline),
        admitted_ms=int(admitted),
        waiting=int(waiting),
        lobby=int(lobby),
        queue_state=queue_state,
        fast=float(fast),
        slow=float(slow),
        epoch=epoch,
        lines_allowed=int(lines_allowed),
        absence_ms=int(absence_ms),
        turn=int(turn),
        just_joined=just_joined,
    )


def parse_poll(answer: list[Any]) -> Standing | None:
    return None if answer == ["revoked"] else parse_standing(answer)


def parse_result(answer: list[Any]) -> ScriptResult:
    outcome, *rest = answer
    if len(rest) > 1:
        return ScriptResult(outcome, parse_standing(rest, just_joined=outcome == "joined"))
    return ScriptResult(outcome, reason=rest[0] if rest else "")


def parse_tick(answer: list[Any]) -> TickResult:
    if answer == ["lost"]:
        return TickResult(lost=True, called=[])
    _count, expired, absent, lobby, waiting, ready, inside, more, *called = answer
    return TickResult(False, called, expired, absent, lobby, waiting, ready, inside, bool(more))


def parse_tick_message(event_id: int, answer: list[Any]) -> TickMessage | None:
    if answer == ["lost"]:
        return None
    *values, fast, slow, changes = answer
    parted = (entry.rpartition(":") for entry in changes)
    people = [(person, int(number)) for person, _, number in parted]
    fields = dict(zip(TICK_MESSAGE_FIELDS, values, strict=True))
    return TickMessage(event_id, fast=float(fast), slow=float(slow), changes=people, **fields)


def parse_memberships(answer: list[Any]) -> dict[int, int]:
    return dict(zip(map(int, answer[::2]), map(int, answer[1::2]), strict=True))


def parse_snapshot(answer: list[Any]) -> dict[str, str]:
    return dict(zip(answer[::2], map(str, answer[1::2]), strict=True))

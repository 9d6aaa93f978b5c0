"""What the scripts take and return, as values."""

from dataclasses import dataclass, replace
from datetime import datetime
from typing import Any

from waiting_queue.keys import LANE_NUMBERS, number_label
from waiting_queue.tick_message import TickMessage

# In the order of the script's answer.
TICK_MESSAGE_FIELDS = (
    *("turn", "epoch", "queue_state", "drawing", "absence_ms", "head", "last"),
    *("waiting", "lobby", "ready", "inside", "admitted", "pace", "mode", "lanes"),
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
    pace: str
    epoch: str
    lines_allowed: int
    absence_ms: int
    turn: int = 0  # of the first tick message that contains all that this standing knows
    mode: str = ""
    moves: int = 0  # how often the pass was taken over by another browser
    browser: str = ""  # the mark of the browser that has the pass; empty: none yet
    share: float = 0.0  # of all calls, that the person's lane gets; 0 for an event without lanes
    just_joined: bool = False
    # The leader of one's party, and how many people it has; once called, the number is not known.
    leader: str = ""
    party_size: int = 0
    demoted_why: str = ""  # the reason why an operator moved this person to the end of the line

    def is_elsewhere(self, browser: str) -> bool:
        """Whether the person is inside with another browser than this one."""
        return self.state == "admitted" and self.browser not in ("", browser)

    @property
    def lane(self) -> int:
        return self.number // LANE_NUMBERS

    @property
    def number_in_lane(self) -> int:
        """The number as people know it."""
        return self.number % LANE_NUMBERS

    @property
    def number_label(self) -> str:
        return number_label(self.number)


@dataclass(frozen=True, slots=True)
class ScriptResult:
    """The outcome of a join or a claim, with the person's standing or the reason of a block."""

    outcome: str
    standing: Standing | None = None
    reason: str = ""


@dataclass(frozen=True, slots=True)
class LaneRule:
    """A lane of the line: its weight among the others, and when it opens (0: with the queue)."""

    id: int
    weight: int
    opens_ms: int = 0


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
    seats_allowed: int = 0
    mode: str = ""
    companions: int = 0
    lanes: tuple[LaneRule, ...] = ()

    def as_args(self) -> list[Any]:
        flags = [self.epoch, self.state, int(self.drawing), self.capacity, self.rate, self.cap]
        times = [self.claim_ms, self.pass_ms, self.pass_max_ms, self.absence_ms]
        limits = [self.lines_allowed, self.seats_allowed, self.mode, self.companions]
        lanes = [value for lane in self.lanes for value in (lane.id, lane.weight, lane.opens_ms)]
        return [*flags, *times, *limits, *lanes]


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
    pace, epoch, lines_allowed, absence_ms, turn, mode, *own = meta
    party, demoted_why, moves, browser, share = own
    leader, _, size = party.rpartition(":")
    return Standing(
        state=state,
        number=int(number),
        ahead=int(ahead),
        deadline_ms=int(deadline),
        admitted_ms=int(admitted),
        waiting=int(waiting),
        lobby=int(lobby),
        queue_state=queue_state,
        pace=pace,
        epoch=epoch,
        lines_allowed=int(lines_allowed),
        absence_ms=int(absence_ms),
        turn=int(turn),
        mode=mode,
        moves=int(moves),
        browser=browser,
        share=float(share or 0),
        just_joined=just_joined,
        leader=leader,
        party_size=int(size or 0),
        demoted_why=demoted_why,
    )


def parse_poll(answer: list[Any]) -> Standing | None:
    return None if answer == ["revoked"] else parse_standing(answer)


def parse_result(answer: list[Any]) -> ScriptResult:
    outcome, *more = answer
    if more and isinstance(more[0], list):
        return ScriptResult(outcome, parse_standing(more[0], just_joined=outcome == "joined"))
    return ScriptResult(outcome, reason=more[0] if more else "")


@dataclass(frozen=True, slots=True)
class Invitation:
    """The code with which companions join, or the reason why there is none."""

    outcome: str
    code: str = ""
    left_ms: int = 0


@dataclass(frozen=True, slots=True)
class DrawResult:
    """How many got a number, and how many of the list had their turn so far; -1: a lost line."""

    moved: int
    drawn: int


def parse_draw(answer: list[Any]) -> DrawResult:
    return DrawResult(*answer)


def parse_invitation(answer: list[Any]) -> Invitation:
    return Invitation(*answer)


def parse_tick(answer: list[Any]) -> TickResult:
    if answer == ["lost"]:
        return TickResult(lost=True, called=[])
    expired, absent, lobby, waiting, ready, inside, more, called = answer
    return TickResult(False, called, expired, absent, lobby, waiting, ready, inside, bool(more))


def parse_tick_message(event_id: int, answer: list[Any]) -> TickMessage | None:
    if answer == ["lost"]:
        return None
    *values, changes = answer
    parted = (entry.rpartition(":") for entry in changes)
    people = [(person, int(number)) for person, _, number in parted]
    fields = dict(zip(TICK_MESSAGE_FIELDS, values, strict=True))
    return TickMessage(event_id, changes=people, **fields)


def parse_memberships(answer: list[Any]) -> dict[int, int]:
    return dict(zip(map(int, answer[::2]), map(int, answer[1::2]), strict=True))


def parse_snapshot(answer: list[Any]) -> dict[str, str]:
    return dict(zip(answer[::2], map(str, answer[1::2]), strict=True))

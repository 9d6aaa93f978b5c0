"""A person's place in line as the API, the websocket and the pages report it."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Protocol

from django.urls import reverse

from ticketing.core.errors import DomainError
from waiting_queue import errors
from waiting_queue.models import SaleQueue
from waiting_queue.store import Standing
from waiting_queue.tokens import QueueToken

IN_ORDER = frozenset({"waiting", "ready", "admitted"})
LIVE = IN_ORDER | {"lobby"}
# People per second. Below this the line counts as standing still and no estimate is given.
MIN_RATE = 0.001
# Seconds between two polls, and the share of the expected wait that passes between them.
MIN_POLL, MAX_POLL, POLL_SHARE = 1.0, 30.0, 1 / 20
LOBBY_POLL = INSIDE_POLL = 10.0
ASSUMED_RATE = 10.0  # sets the poll interval where no rate is known
JITTER = 0.2
Eta = tuple[int | None, int | None, int | None]
NO_ETA: Eta = (None, None, None)


class LineSpeed(Protocol):
    """The fields that a standing and a tick message share, from which `Pace` is computed."""

    @property
    def fast(self) -> float: ...
    @property
    def slow(self) -> float: ...
    @property
    def queue_state(self) -> str: ...
    @property
    def absence_ms(self) -> int: ...


def standing_body(
    *,
    event_id: int,
    person: str,
    standing: Standing,
    now: datetime,
    jitter: float,
    held: QueueToken | None = None,
) -> dict[str, Any]:
    """Return a standing as the API's JSON; `jitter`, from 0 to 1, spreads the next polls.

    `held` is the token that the caller sent: it is not sent back if it is still the right one.
    """
    rank = standing.ahead if standing.state == "waiting" else None
    ahead = standing.ahead if standing.state in IN_ORDER else None
    expected, low, high = eta_of(standing)
    return {
        "status": "entered" if standing.state == "admitted" else standing.state,
        "state": standing.state.upper(),
        "number": standing.number or None,
        "position": None if rank is None else rank + 1,
        "ahead": ahead,
        "rank": rank,
        "aheadCount": ahead,
        "total": standing.waiting,
        "lobby": standing.lobby,
        "eta_seconds": expected,
        "eta_low_seconds": low,
        "eta_high_seconds": high,
        "paused": standing.queue_state == "paused",
        "deadline": _iso(standing.deadline_ms) if standing.state in {"ready", "admitted"} else None,
        "queue_state": standing.queue_state,
        "next_poll_ms": next_poll_ms(standing, low, now, jitter),
        "turn": standing.turn,
        "server_time": now.isoformat(timespec="milliseconds"),
        "token": new_token(event_id, person, standing, held),
        "go_to": reverse("reservations:seats", args=[event_id])
        if standing.state == "admitted"
        else None,
    }


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a line moves, computed once per tick for everybody who waits in it.

    The rates are people called per second: the better and the worse of the two recent averages.
    """

    best_rate: float
    worst_rate: float
    max_poll: float  # seconds; with longer gaps an absent page could lose its place

    @classmethod
    def of(cls, line: LineSpeed) -> "Pace":
        worst, best = sorted((line.fast, line.slow))
        if line.queue_state == "paused" or best < MIN_RATE:
            best = worst = 0
        max_poll = line.absence_ms / 3000 if line.absence_ms else MAX_POLL
        return cls(best, worst, max_poll / (1 + JITTER))

    def eta(self, ahead: int) -> Eta:
        """Return the expected, shortest and longest wait in seconds; None where unknown."""
        people, best, worst = ahead + 1, self.best_rate, self.worst_rate
        if not best:
            return NO_ETA
        expected, low = math.ceil(2 * people / (worst + best)), int(people * 0.9 / best)
        return expected, low, math.ceil(people * 1.1 / worst) if worst >= MIN_RATE else None

    def poll_ms(self, ahead: int, eta_low: int | None, jitter: float) -> int:
        """Return the poll interval of a waiting person: the farther back, the longer."""
        wait = ahead / ASSUMED_RATE if eta_low is None else eta_low
        return self.jittered_ms(min(MIN_POLL + wait * POLL_SHARE, MAX_POLL), jitter)

    def jittered_ms(self, seconds: float, jitter: float) -> int:
        return round(min(seconds, self.max_poll) * 1000 * (1 - JITTER + 2 * JITTER * jitter))


def eta_of(standing: Standing) -> Eta:
    """Return the wait that is left, from the rate at which people were called recently."""
    if standing.state in {"ready", "admitted"}:
        return 0, 0, 0
    return Pace.of(standing).eta(standing.ahead) if standing.state == "waiting" else NO_ETA


def next_poll_ms(standing: Standing, eta_low: int | None, now: datetime, jitter: float) -> int:
    """Return when a client should poll next."""
    pace = Pace.of(standing)
    match standing.state:
        case "waiting":
            return pace.poll_ms(standing.ahead, eta_low, jitter)
        case "ready":
            return pace.jittered_ms(MIN_POLL, jitter)
        case "admitted":
            left = standing.deadline_ms / 1000 - now.timestamp()
            return pace.jittered_ms(max(min(INSIDE_POLL, left / 3), MIN_POLL), jitter)
        case "lobby":
            return pace.jittered_ms(LOBBY_POLL, jitter)
    return pace.jittered_ms(MAX_POLL, jitter)


def new_token(
    event_id: int, person: str, standing: Standing, held: QueueToken | None
) -> str | None:
    """Return the signed token of this standing, or None if the caller holds it already."""
    if standing.state not in LIVE:
        return None
    token = QueueToken(event_id, person, standing.number, standing.epoch)
    return None if token == held else token.sign()


def missing_line_error(event_id: int) -> DomainError:
    """Return the error that says why Redis has no line for this event."""
    state = SaleQueue.objects.filter(pk=event_id).values_list("state", flat=True).first()
    match state:
        case None:
            return errors.NoQueue()
        case SaleQueue.State.SCHEDULED:
            return errors.QueueNotOpen()
        case SaleQueue.State.CLOSED:
            return errors.QueueOver()
    return errors.QueueUnavailable()


def _iso(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).isoformat(timespec="milliseconds")

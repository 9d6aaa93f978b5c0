"""What people are told about their place in line."""

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
# Slower than one in a thousand seconds is standing still: nothing honest can be said.
SLOWEST = 0.001
# Seconds between two polls, and the share of the expected wait that passes between them.
OFTEN, SELDOM, SHARE = 1.0, 30.0, 1 / 20
LOBBY_POLL = INSIDE_POLL = 10.0
ASSUMED_RATE = 10.0  # for the distance of people to whom no rate can be told
JITTER = 0.2
Eta = tuple[int | None, int | None, int | None]
NO_ETA: Eta = (None, None, None)


class Moving(Protocol):
    """A line as far as its pace goes: what a standing says of it, or a pulse."""

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
    found: Standing,
    now: datetime,
    luck: float,
    held: QueueToken | None = None,
) -> dict[str, Any]:
    """A place in line as the API tells it; `luck`, from 0 to 1, spreads the next polls."""
    rank = found.ahead if found.state == "waiting" else None
    ahead = found.ahead if found.state in IN_ORDER else None
    expected, low, high = eta_of(found)
    return {
        "status": "entered" if found.state == "admitted" else found.state,
        "state": found.state.upper(),
        "number": found.number or None,
        "position": None if rank is None else rank + 1,
        "ahead": ahead,
        "rank": rank,
        "aheadCount": ahead,
        "total": found.waiting,
        "lobby": found.lobby,
        "eta_seconds": expected,
        "eta_low_seconds": low,
        "eta_high_seconds": high,
        "paused": found.queue_state == "paused",
        "deadline": _iso(found.deadline_ms) if found.state in {"ready", "admitted"} else None,
        "queue_state": found.queue_state,
        "next_poll_ms": next_poll_ms(found, low, now, luck),
        "server_time": now.isoformat(timespec="milliseconds"),
        "token": new_token(event_id, person, found, held),
        "go_to": reverse("reservations:seats", args=[event_id])
        if found.state == "admitted"
        else None,
    }


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a line moves, worked out once for everybody who waits in it."""

    quick: float  # people called a second, lately at best
    sluggish: float
    longest: float  # seconds that may pass between two polls

    @classmethod
    def of(cls, line: "Moving") -> "Pace":
        sluggish, quick = sorted((line.fast, line.slow))
        if line.queue_state == "paused" or quick < SLOWEST:
            quick = sluggish = 0
        longest = line.absence_ms / 3000 if line.absence_ms else SELDOM
        return cls(quick, sluggish, longest / (1 + JITTER))

    def eta(self, ahead: int) -> Eta:
        """Expected, at best, at worst; None where nothing honest can be said."""
        people, quick, sluggish = ahead + 1, self.quick, self.sluggish
        if not quick:
            return NO_ETA
        expected, low = math.ceil(2 * people / (sluggish + quick)), int(people * 0.9 / quick)
        return expected, low, math.ceil(people * 1.1 / sluggish) if sluggish >= SLOWEST else None

    def poll_ms(self, ahead: int, eta_low: int | None, luck: float) -> int:
        wait = ahead / ASSUMED_RATE if eta_low is None else eta_low
        return self.spread(min(OFTEN + wait * SHARE, SELDOM), luck)

    def spread(self, seconds: float, luck: float) -> int:
        """Never so long that the place could be lost meanwhile."""
        return round(min(seconds, self.longest) * 1000 * (1 - JITTER + 2 * JITTER * luck))


def eta_of(found: Standing) -> Eta:
    """How long it still takes, from the pace at which people were really called lately."""
    if found.state in {"ready", "admitted"}:
        return 0, 0, 0
    return Pace.of(found).eta(found.ahead) if found.state == "waiting" else NO_ETA


def next_poll_ms(found: Standing, eta_low: int | None, now: datetime, luck: float) -> int:
    """The farther away, the longer."""
    pace = Pace.of(found)
    match found.state:
        case "waiting":
            return pace.poll_ms(found.ahead, eta_low, luck)
        case "ready":
            return pace.spread(OFTEN, luck)
        case "admitted":
            left = found.deadline_ms / 1000 - now.timestamp()
            return pace.spread(max(min(INSIDE_POLL, left / 3), OFTEN), luck)
        case "lobby":
            return pace.spread(LOBBY_POLL, luck)
    return pace.spread(SELDOM, luck)


def new_token(event_id: int, person: str, found: Standing, held: QueueToken | None) -> str | None:
    """The token of this stay, unless it is the one that was used to ask."""
    if found.state not in LIVE:
        return None
    token = QueueToken(event_id, person, found.number, found.epoch)
    return None if token == held else token.sign()


def why_no_line(event_id: int) -> DomainError:
    """Redis knows no line of this event: the database knows why."""
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

"""What people are told about their place in line."""

import math
from datetime import UTC, datetime
from typing import Any

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
NO_ETA: dict[str, int | None] = {
    "eta_seconds": None,
    "eta_low_seconds": None,
    "eta_high_seconds": None,
}


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
    eta = eta_of(found)
    return {
        "status": "entered" if found.state == "admitted" else found.state,
        "state": found.state.upper(),
        "number": found.number or None,
        "position": None if rank is None else rank + 1,
        "ahead": ahead,
        "rank": rank,
        "aheadCount": ahead,
        "total": found.waiting,
        **eta,
        "paused": found.queue_state == "paused",
        "deadline": _iso(found.deadline_ms) if found.state in {"ready", "admitted"} else None,
        "queue_state": found.queue_state,
        "next_poll_ms": next_poll_ms(found, eta["eta_low_seconds"], now, luck),
        "server_time": now.isoformat(timespec="milliseconds"),
        "token": new_token(event_id, person, found, held),
    }


def eta_of(found: Standing) -> dict[str, int | None]:
    """How long it still takes, from the pace at which people were really called lately."""
    if found.state in {"ready", "admitted"}:
        return dict.fromkeys(NO_ETA, 0)
    slow, fast = sorted((found.fast, found.slow))
    if found.state != "waiting" or found.queue_state == "paused" or fast < SLOWEST:
        return NO_ETA
    people = found.ahead + 1
    return {
        "eta_seconds": math.ceil(2 * people / (slow + fast)),
        "eta_low_seconds": math.floor(people * 0.9 / fast),
        "eta_high_seconds": math.ceil(people * 1.1 / slow) if slow >= SLOWEST else None,
    }


def next_poll_ms(found: Standing, eta_low: int | None, now: datetime, luck: float) -> int:
    """The farther away, the longer; never so long that the place could be lost meanwhile."""
    longest = found.absence_ms / 3000 if found.absence_ms else SELDOM
    seconds = min(_pace(found, eta_low, now), longest / (1 + JITTER))
    return round(seconds * 1000 * (1 - JITTER + 2 * JITTER * luck))


def _pace(found: Standing, eta_low: int | None, now: datetime) -> float:
    match found.state:
        case "waiting":
            wait = found.ahead / ASSUMED_RATE if eta_low is None else eta_low
            return min(OFTEN + wait * SHARE, SELDOM)
        case "ready":
            return OFTEN
        case "admitted":
            left = found.deadline_ms / 1000 - now.timestamp()
            return max(min(INSIDE_POLL, left / 3), OFTEN)
        case "lobby":
            return LOBBY_POLL
    return SELDOM


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

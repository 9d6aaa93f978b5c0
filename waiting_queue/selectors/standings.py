"""A person's place in line as the API, the websocket and the pages report it."""

import math
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, Protocol

from django.urls import reverse

from ticketing.core.errors import DomainError
from ticketing.events.models import Event
from waiting_queue import errors
from waiting_queue.models import SaleQueue
from waiting_queue.store import Standing
from waiting_queue.tokens import QueueToken

IN_ORDER = frozenset({"waiting", "ready", "admitted"})
LIVE = IN_ORDER | {"lobby"}
# Seconds between two polls, and the share of the expected wait that passes between them.
MIN_POLL, MAX_POLL, POLL_SHARE = 1.0, 30.0, 1 / 20
LOBBY_POLL = INSIDE_POLL = 10.0
ASSUMED_RATE = 10.0  # sets the poll interval where no rate is known
JITTER = 0.2
# Relative error of an estimate; larger where few people have left the places that others wait for.
ERROR = 0.1
Eta = tuple[int | None, int | None, int | None]
NO_PACE = "0 0 0 0 0"
NO_ETA: Eta = (None, None, None)


class LineSpeed(Protocol):
    """The fields that a standing and a tick message share, from which `Pace` is computed."""

    @property
    def pace(self) -> str: ...
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
    browser: str = "",
) -> dict[str, Any]:
    """Return a standing as the API's JSON; `jitter`, from 0 to 1, spreads the next polls.

    `held` is the token that the caller sent: it is not sent back if it is still the right one. The
    `browser` of the caller gets the pass if it is the one that has it.
    What few people have is left out for all others, and where it is not read from the line.
    """
    rank = standing.ahead if standing.state == "waiting" else None
    ahead = standing.ahead if standing.state in IN_ORDER else None
    expected, low, high = eta_of(standing)
    body: dict[str, Any] = {
        "status": "entered" if standing.state == "admitted" else standing.state,
        "state": standing.state.upper(),
        "lane": standing.lane,
        "number": standing.number_in_lane or None,
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
        "mode": standing.mode,
        "next_poll_ms": next_poll_ms(standing, low, now, jitter),
        "turn": standing.turn,
        "server_time": now.isoformat(timespec="milliseconds"),
        "token": new_token(event_id, person, standing, held, browser=browser, now=now),
        "elsewhere": standing.is_elsewhere(browser),
        "go_to": _seat_page(event_id) if standing.state == "admitted" else None,
    }
    if standing.leader:
        people = standing.party_size or None
        body["party"] = {"leads": standing.leader == person, "people": people}
    if standing.demoted_why:
        body["demoted_why"] = standing.demoted_why
    return body


@dataclass(frozen=True, slots=True)
class Pace:
    """How fast a line moves, computed once per tick for everybody who waits in it."""

    calls: float  # a second, as the rate allows: more than it says if some don't come; 0: no limit
    room: int  # free places inside
    cap: int  # places inside; 0: nobody is called
    stay: float  # seconds that a place is taken, by those who come in and by those who don't
    stays: float  # how many stays that is known from
    max_poll: float  # seconds; with longer gaps an absent page could lose its place
    share: float = 1.0  # of all calls, that the lane gets

    @classmethod
    def of(cls, line: LineSpeed, share: float = 1.0) -> "Pace":
        return _pace(line.pace or NO_PACE, line.queue_state, line.absence_ms, share or 1.0)

    def eta(self, ahead: int) -> Eta:
        """Return the expected, shortest and longest wait in seconds; None where unknown.

        The slower decides: the rate at which people are called, or the places that become free.
        """
        if self.cap <= 0:
            return NO_ETA
        people = (ahead + 1) / self.share  # called from all lanes until then
        after_others = max(people - self.room, 0)
        by_rate = people / self.calls if self.calls else 0.0
        # Whoever is inside has been there for some time: the first place is free sooner.
        by_places = (after_others - 0.5) * self.stay / self.cap
        low, high = by_rate * (1 - ERROR), by_rate * (1 + ERROR)
        if by_places <= by_rate:
            return _up(by_rate), int(low), _up(high)
        error = ERROR + after_others**-0.5 + (self.stays + 1) ** -0.5
        low, high = max(by_places * (1 - error), low), by_places * (1 + error)
        return _up(by_places), int(low), _up(high) if self.stays >= 1 else None

    def poll_ms(self, ahead: int, eta_low: int | None, jitter: float) -> int:
        """Return the poll interval of a waiting person: the farther back, the longer."""
        wait = ahead / ASSUMED_RATE if eta_low is None else eta_low
        return self.jittered_ms(min(MIN_POLL + wait * POLL_SHARE, MAX_POLL), jitter)

    def jittered_ms(self, seconds: float, jitter: float) -> int:
        return round(min(seconds, self.max_poll) * 1000 * (1 - JITTER + 2 * JITTER * jitter))


@lru_cache(maxsize=256)
def _pace(pace: str, queue_state: str, absence_ms: int, share: float) -> Pace:
    """Everybody who asks between two ticks has the same."""
    calls, room, cap, stay, stays = map(float, pace.split())
    max_poll = absence_ms / 3000 if absence_ms else MAX_POLL
    places = 0 if queue_state == "paused" else int(cap)
    return Pace(calls, int(room), places, stay, stays, max_poll / (1 + JITTER), share)


def eta_of(standing: Standing) -> Eta:
    """Return the wait that is left, by the pace of the line."""
    if standing.state in {"ready", "admitted"}:
        return 0, 0, 0
    if standing.state != "waiting":
        return NO_ETA
    return Pace.of(standing, standing.share).eta(standing.ahead)


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
    event_id: int,
    person: str,
    standing: Standing,
    held: QueueToken | None,
    *,
    browser: str,
    now: datetime,
) -> str | None:
    """Return the signed token of this standing, or None if the caller holds it already.

    It is a pass for the browser that has the turn, and for no other.
    """
    if standing.state not in LIVE:
        return None
    token = QueueToken(event_id, person, standing.number, standing.epoch)
    if standing.state == "admitted" and browser and browser == standing.browser:
        token = token.as_pass(browser, now)
    return token.sign() if token.replaces(held) else None


def missing_line_error(event_id: int) -> DomainError:
    """Return the error that says why Redis has no line for this event."""
    published = SaleQueue.objects.exclude(event__state=Event.State.DRAFT)
    state = published.filter(pk=event_id).values_list("state", flat=True).first()
    match state:
        case None:
            return errors.NoQueue()
        case SaleQueue.State.SCHEDULED:
            return errors.QueueNotOpen()
        case SaleQueue.State.CLOSED:
            return errors.QueueOver()
    return errors.QueueUnavailable()


@lru_cache(maxsize=1_024)
def _seat_page(event_id: int) -> str:
    return reverse("reservations:seats", args=[event_id])


def _up(seconds: float) -> int:
    return math.ceil(round(seconds, 3))


def _iso(moment_ms: int) -> str:
    return datetime.fromtimestamp(moment_ms / 1000, UTC).isoformat(timespec="milliseconds")

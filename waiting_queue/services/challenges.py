"""Who may join in a rush: after a challenge, which is harder the more signals there are.

A calm line asks nobody, and costs nothing: how many join a second is known in every process, from
the last tick message.
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from ticketing.core import clock
from ticketing.core.challenge_providers import (
    PREFIX,
    ProviderSilent,
    challenge_of,
    check_with,
    current_provider,
    solved_by_provider,
)
from ticketing.core.challenges import (
    HARDEST,
    BadSolution,
    Solved,
    TooEarly,
    check_solution,
    new_challenge,
)
from ticketing.core.errors import TooManyRequests
from ticketing.core.throttle import network_of
from ticketing.core.ttl_cache import clearable
from waiting_queue import store
from waiting_queue.errors import ChallengeRequired
from waiting_queue.live.hub import QueueHub
from waiting_queue.store import JoinCounts, ScriptCall
from waiting_queue.tick_message import TickMessage

Signals = dict[str, Any]
DAY = 86_400
AGES = ((DAY, "day"), (7 * DAY, "week"), (30 * DAY, "month"))
# From so many people of one range, accounts of one browser, or calls of one person on, the
# challenge is a level harder. An office and a university are challenged, long before anybody of
# them is refused (JOINS_PER_RANGE).
CROWDED_RANGES, SHARED_DEVICE, MANY_CALLS = (20, 200), 2, 6
RETRY_SECONDS = 60
_joins: dict[int, tuple[float, int]] = clearable({})


@dataclass(frozen=True, slots=True)
class Newcomer:
    """What a request to join says about who sends it."""

    address: str = ""
    device: str = ""  # the browser's mark, if it kept its cookie
    account_since: int = 0  # in seconds; 0: unknown
    is_verified: bool = False  # who they are: nobody else can be
    solution: str = ""


@dataclass(frozen=True, slots=True)
class Admission:
    """Somebody may join. The `signals` are kept with the place, the `solution` is used up."""

    signals: Signals
    solution: str = ""


def admit_newcomer(*, event_id: int, person: str, newcomer: Newcomer, now: datetime) -> Admission:
    """Let somebody join, or raise `ChallengeRequired` with a new challenge.

    A solution of ours contains what was counted when it was asked for: nothing is read again.
    """
    rush = rush_level(_joins_lately(event_id))
    if not rush:
        return Admission(first_signals(newcomer, now))
    if solved := _solved(event_id, person, newcomer, now):
        return _admission(newcomer, solved, _counts_in(solved), now)
    solved = solved_by_provider() if newcomer.solution else None
    counts = store.run(_count(event_id, person, newcomer, solved, now))
    return _judged(event_id, person, newcomer, rush, counts, solved, now)


async def aadmit_newcomer(
    *, event_id: int, person: str, newcomer: Newcomer, now: datetime
) -> Admission:
    rush = rush_level(await _ajoins_lately(event_id))
    if not rush:
        return Admission(first_signals(newcomer, now))
    if solved := _solved(event_id, person, newcomer, now):
        return _admission(newcomer, solved, _counts_in(solved), now)
    solved = await _asolved_by_provider(newcomer)
    counts = await store.arun(_count(event_id, person, newcomer, solved, now))
    return _judged(event_id, person, newcomer, rush, counts, solved, now)


def rush_level(joins: int) -> int:
    """0: calm; a level more for each fourfold number of joins a second."""
    start = settings.CHALLENGE_FROM
    if settings.CHALLENGE == "off" or joins < start:
        return 0
    return 1 + (joins >= 4 * start) + (joins >= 16 * start)


def difficulty(rush: int, age: str, counts: JoinCounts, *, is_verified: bool = False) -> int:
    """The level of the challenge, from what is known of who asks.

    Of verified people, who have one account each, neither its age nor their network counts.
    """
    if is_verified:
        return max(rush - 1, 1) + (counts.run_outs > 0)
    doubts = (
        age in {"unknown", "day"},
        *(counts.from_range > crowd for crowd in CROWDED_RANGES),
        counts.with_device > SHARED_DEVICE,
        counts.asked > MANY_CALLS,
        counts.run_outs > 0,
    )
    return min(rush + sum(doubts), HARDEST)


def first_signals(newcomer: Newcomer, now: datetime) -> Signals:
    found = {
        "address_range": network_of(newcomer.address),
        "account_age": account_age(newcomer.account_since, now),
        "device": newcomer.device,
    }
    return {name: value for name, value in found.items() if value}


def account_age(since: int, now: datetime) -> str:
    """As a class: nobody needs to know more."""
    if not since:
        return "unknown"
    age = now.timestamp() - since
    return next((name for longest, name in AGES if age < longest), "older")


def _count(
    event_id: int, person: str, newcomer: Newcomer, solved: Solved | None, now: datetime
) -> ScriptCall[JoinCounts | None]:
    return store.count_join(
        event_id,
        person,
        network=network_of(newcomer.address),
        device=newcomer.device,
        now=now,
        is_asked=solved is None,
    )


def _judged(
    event_id: int,
    person: str,
    newcomer: Newcomer,
    rush: int,
    counts: JoinCounts | None,
    solved: Solved | None,
    now: datetime,
) -> Admission:
    if counts is None:  # they have a place, which joining again does not change
        return Admission(first_signals(newcomer, now))
    limits = (
        (counts.from_range, settings.JOINS_PER_RANGE),
        (counts.with_device, settings.JOINS_PER_DEVICE),
    )
    if any(0 < limit < count for count, limit in limits):
        raise TooManyRequests(retry_after=RETRY_SECONDS)
    if solved:
        return _admission(newcomer, solved, counts, now)
    age, is_verified = account_age(newcomer.account_since, now), newcomer.is_verified
    level = difficulty(rush, age, counts, is_verified=is_verified)
    noted = f"{counts.from_range},{counts.with_device},{counts.run_outs}"
    challenge = new_challenge(_purpose(event_id, person), level, now=now, noted=noted)
    if early := _too_early(event_id, person, newcomer, now):
        challenge["wait"] = {"seconds": early.seconds, "token": newcomer.solution}
    if provider := current_provider():
        challenge |= challenge_of(provider)
    raise ChallengeRequired(challenge=challenge)


def _admission(newcomer: Newcomer, solved: Solved, counts: JoinCounts, now: datetime) -> Admission:
    signals = first_signals(newcomer, now) | {
        "range_joins": counts.from_range,
        "device_joins": counts.with_device,
        "challenge": solved.kind,
        "difficulty": solved.level,
        "solve_ms": solved.solve_ms,
        "holds_run_out": counts.run_outs,
    }
    return Admission(signals, solved.once)


def _counts_in(solved: Solved) -> JoinCounts:
    """As of when the challenge was made: whoever exceeded a limit then has got none."""
    from_range, with_device, run_outs = map(int, solved.noted.split(","))
    return JoinCounts(run_outs=run_outs, from_range=from_range, with_device=with_device)


def _too_early(event_id: int, person: str, newcomer: Newcomer, now: datetime) -> TooEarly | None:
    try:
        check_solution(newcomer.solution, _purpose(event_id, person), now=now)
    except TooEarly as early:
        return early
    except BadSolution:
        return None
    return None


def _solved(event_id: int, person: str, newcomer: Newcomer, now: datetime) -> Solved | None:
    try:
        return check_solution(newcomer.solution, _purpose(event_id, person), now=now)
    except BadSolution:
        return None


async def _asolved_by_provider(newcomer: Newcomer) -> Solved | None:
    provider = current_provider()
    if provider is None or not newcomer.solution.startswith(PREFIX):
        return None
    try:
        return await check_with(provider, newcomer.solution, level=HARDEST)
    except (BadSolution, ProviderSilent):
        return None


def _purpose(event_id: int, person: str) -> str:
    return f"join:{event_id}:{person}"


def joins_known(event_id: int) -> int:
    """Joins a second, as this process has read them last."""
    return _joins.get(event_id, (0.0, 0))[1]


def _joins_lately(event_id: int) -> int:
    """Joins a second, as of the last tick; read once a second."""
    until, joins = _joins.get(event_id, (0.0, 0))
    if clock.monotonic() < until:
        return joins
    return _keep_joins(event_id, store.last_tick_message(event_id))


async def _ajoins_lately(event_id: int) -> int:
    until, joins = _joins.get(event_id, (0.0, 0))
    if clock.monotonic() < until:
        return joins
    return _keep_joins(event_id, await QueueHub.current().last_message(event_id))


def _keep_joins(event_id: int, message: TickMessage | None) -> int:
    if len(_joins) > 1_000:
        _joins.clear()
    joins = message.joins if message else 0
    _joins[event_id] = clock.monotonic() + 1, joins
    return joins

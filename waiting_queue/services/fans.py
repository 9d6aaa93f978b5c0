"""What fans do: join, look, claim, leave; and the guard in front of everything inside.

Each comes in two forms, for threads and for coroutines; neither asks the database anything.
"""

from datetime import datetime

from waiting_queue import errors, store
from waiting_queue.store import Program, Standing, Verdict, aperform, perform
from waiting_queue.tokens import QueueToken

LIVE = frozenset({"lobby", "waiting", "ready", "admitted"})
REFUSALS = {
    "lost": errors.QueueUnavailable,
    "not_open": errors.QueueNotOpen,
    "over": errors.QueueOver,
    "full": errors.QueueFull,
    "not_yet": errors.NotYourTurn,
    "late": errors.TooLate,
    "not_in_line": errors.NotInLine,
}


def join(*, event_id: int, person: str, now: datetime) -> Standing:
    """Take a number, or keep the one there is."""
    return perform(_join(event_id, person, now))


async def ajoin(*, event_id: int, person: str, now: datetime) -> Standing:
    return await aperform(_join(event_id, person, now))


def standing(*, event_id: int, person: str, now: datetime) -> Standing:
    """Where this person stands; asking is the sign of life that keeps the place."""
    return perform(_touch(event_id, person, now))


async def astanding(*, event_id: int, person: str, now: datetime) -> Standing:
    return await aperform(_touch(event_id, person, now))


def claim(*, event_id: int, person: str, now: datetime) -> Standing:
    """Come in, if it is this person's turn."""
    return perform(_claim(event_id, person, now))


async def aclaim(*, event_id: int, person: str, now: datetime) -> Standing:
    return await aperform(_claim(event_id, person, now))


def leave(*, event_id: int, person: str, now: datetime) -> str:
    """Give up place, call or pass. Answers where the person was."""
    return perform(_leave(event_id, person, now, "left"))


async def aleave(*, event_id: int, person: str, now: datetime) -> str:
    return await aperform(_leave(event_id, person, now, "left"))


def complete(*, event_id: int, person: str, now: datetime) -> str:
    """The person is done inside: their place goes to the next. Call it after the commit."""
    return perform(_leave(event_id, person, now, "completed"))


def require_admission(*, event_id: int, person: str, now: datetime) -> Standing:
    """The guard: only people inside get past it, and getting past it renews their pass."""
    found = standing(event_id=event_id, person=person, now=now)
    if found.state != "admitted":
        raise errors.NotAdmitted()
    return found


def token_of(event_id: int, person: str, found: Standing) -> str:
    """The `qr_` token of a place in line."""
    return QueueToken(event_id, person, found.number, found.epoch).sign()


# -- the steps ------------------------------------------------------------------------------------


def _join(event_id: int, person: str, now: datetime) -> Program[Standing]:
    events, verdict = yield [
        store.enlist(event_id, person, now),
        store.join(event_id, person, now),
    ]
    if verdict.word not in {"joined", "already"}:
        yield [store.delist(event_id, person)]
        raise _refusal(verdict)
    if 0 < verdict.standing.lines_allowed < len(events):
        yield from _keep_to_the_limit(event_id, person, now, events, verdict.standing)
    return verdict.standing


def _keep_to_the_limit(
    event_id: int, person: str, now: datetime, events: list[int], here: Standing
) -> Program[None]:
    """The earlier lines win; those that the person is long out of are forgotten."""
    others = [other for other in events if other != event_id]
    found = yield [store.look(other, person, now) for other in others]
    live = [o for o, there in zip(others, found, strict=True) if there.state in LIVE]
    if gone := set(others) - set(live):
        yield [store.delist(other, person) for other in gone]
    earlier = [other for other in live if events.index(other) < events.index(event_id)]
    if len(earlier) >= here.lines_allowed:
        yield [store.leave(event_id, person, now), store.delist(event_id, person)]
        raise errors.InAnotherLine(events=earlier)


def _touch(event_id: int, person: str, now: datetime) -> Program[Standing]:
    (found,) = yield [store.touch(event_id, person, now)]
    if not found.epoch:
        raise errors.QueueUnavailable()
    return found


def _claim(event_id: int, person: str, now: datetime) -> Program[Standing]:
    (verdict,) = yield [store.claim(event_id, person, now)]
    if verdict.word not in {"claimed", "already"}:
        raise _refusal(verdict)
    return verdict.standing


def _leave(event_id: int, person: str, now: datetime, how: str) -> Program[str]:
    (was,) = yield [store.leave(event_id, person, now, how=how)]
    if was != "none":
        yield [store.delist(event_id, person)]
    return was


def _refusal(verdict: Verdict) -> Exception:
    if verdict.word == "blocked":
        return errors.Blocked(why=verdict.why)
    return REFUSALS[verdict.word]()

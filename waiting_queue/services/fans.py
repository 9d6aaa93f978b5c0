"""What fans do: join, look, claim, leave; and the guard in front of everything inside.

Each comes in two forms, for threads and for coroutines; neither asks the database anything.
"""

from datetime import datetime

from waiting_queue import errors, metrics, store
from waiting_queue.live.hub import QueueHub
from waiting_queue.store import Program, ScriptResult, Standing, aperform, perform
from waiting_queue.tokens import QueueToken

# Longer than a join can take, clocks that disagree included.
JOINING_SECONDS = 10
LIVE = frozenset({"lobby", "waiting", "ready", "admitted"})
REFUSALS = {
    "lost": errors.QueueUnavailable,
    "not_open": errors.QueueNotOpen,
    "over": errors.QueueOver,
    "full": errors.QueueFull,
    "not_yet": errors.NotYourTurn,
    "late": errors.TooLate,
    "not_in_line": errors.NotInLine,
    "revoked": errors.BadQueueToken,
}


def join(*, event_id: int, person: str, now: datetime) -> Standing:
    """Take a number, or keep the one there is."""
    return perform(_join(event_id, person, now))


async def ajoin(*, event_id: int, person: str, now: datetime) -> Standing:
    return await aperform(_join(event_id, person, now))


def standing(
    *, event_id: int, person: str, now: datetime, held: QueueToken | None = None
) -> Standing:
    """Where this person stands; asking is the sign of life that keeps the place."""
    return perform(_touch(event_id, person, now, held))


async def astanding(
    *, event_id: int, person: str, now: datetime, held: QueueToken | None = None
) -> Standing:
    metrics.POLLS_ANSWERED_BY_REDIS.inc()
    return await aperform(_touch(event_id, person, now, held))


def known_standing(held: QueueToken, *, luck: float) -> str | None:
    """The answer to a poll of somebody who waits, as JSON, if this process knows it by itself."""
    known = QueueHub.current().answer(held, luck)
    if known:
        metrics.POLLS_ANSWERED_LOCALLY.inc()
    return known


def claim(*, event_id: int, person: str, now: datetime, held: QueueToken | None = None) -> Standing:
    """Come in, if it is this person's turn."""
    return perform(_claim(event_id, person, now, held))


async def aclaim(
    *, event_id: int, person: str, now: datetime, held: QueueToken | None = None
) -> Standing:
    return await aperform(_claim(event_id, person, now, held))


def leave(*, event_id: int, person: str, now: datetime, held: QueueToken | None = None) -> str:
    """Give up place, call or pass. Answers where the person was."""
    return perform(_leave(event_id, person, now, "left", held))


async def aleave(
    *, event_id: int, person: str, now: datetime, held: QueueToken | None = None
) -> str:
    return await aperform(_leave(event_id, person, now, "left", held))


def complete(*, event_id: int, person: str, now: datetime) -> str:
    """The person is done inside: their place goes to the next. Call it after the commit."""
    return perform(_leave(event_id, person, now, "completed"))


def require_admission(*, event_id: int, person: str, now: datetime) -> Standing:
    """The guard: only people inside get past it, and getting past it renews their pass."""
    return _admitted(standing(event_id=event_id, person=person, now=now))


async def arequire_admission(*, event_id: int, person: str, now: datetime) -> Standing:
    return _admitted(await aperform(_touch(event_id, person, now, None)))


def _admitted(found: Standing) -> Standing:
    if found.state != "admitted":
        raise errors.NotAdmitted()
    return found


def token_of(event_id: int, person: str, found: Standing) -> str:
    """The `qr_` token of a place in line."""
    return QueueToken(event_id, person, found.number, found.epoch).sign()


# -- the steps ------------------------------------------------------------------------------------


def _join(event_id: int, person: str, now: datetime) -> Program[Standing]:
    lines, verdict = yield [
        store.enlist(event_id, person, now),
        store.join(event_id, person, now),
    ]
    if verdict.word not in {"joined", "already"}:
        yield [store.delist(event_id, person)]
        raise _refusal(verdict)
    if verdict.word == "joined" and verdict.standing.lines_allowed:
        yield from _keep_to_the_limit(event_id, person, now, lines, verdict.standing.lines_allowed)
    return verdict.standing


def _keep_to_the_limit(
    event_id: int, person: str, now: datetime, lines: dict[int, int], allowed: int
) -> Program[None]:
    """Lines in which the person stands already win; of those joined just now, the first noted.

    Noting and joining are two steps, and on a cluster two trips: a fresh note counts, whatever the
    line says; an old one counts if the line says so too, and is forgotten otherwise.
    """
    fresh = now.timestamp() - JOINING_SECONDS
    if lines[event_id] <= fresh:  # left over from an earlier stay
        (lines,) = yield [store.enlist(event_id, person, now, again=True)]
    if len(lines) <= allowed:
        return
    others, earlier = [other for other in lines if other != event_id], _before(event_id, lines)
    old = [other for other in others if lines[other] <= fresh]
    found = yield [store.look(other, person, now) for other in old]
    live = {other for other, there in zip(old, found, strict=True) if there.state in LIVE}
    if gone := set(old) - live:
        yield [store.delist(other, person, since=lines[other]) for other in gone]
    taken = [other for other in others if other in live or other in set(earlier) - set(old)]
    if len(taken) >= allowed:
        yield [store.leave(event_id, person, now), store.delist(event_id, person)]
        raise errors.InAnotherLine(events=taken)


def _before(event_id: int, lines: dict[int, int]) -> list[int]:
    return list(lines)[: list(lines).index(event_id)]


def _touch(event_id: int, person: str, now: datetime, held: QueueToken | None) -> Program[Standing]:
    (found,) = yield [store.touch(event_id, person, now, held=held)]
    if found is None:
        raise errors.BadQueueToken()
    if not found.epoch:
        raise errors.QueueUnavailable()
    return found


def _claim(event_id: int, person: str, now: datetime, held: QueueToken | None) -> Program[Standing]:
    (verdict,) = yield [store.claim(event_id, person, now, held=held)]
    if verdict.word not in {"claimed", "already"}:
        raise _refusal(verdict)
    return verdict.standing


def _leave(
    event_id: int, person: str, now: datetime, how: str, held: QueueToken | None = None
) -> Program[str]:
    (was,) = yield [store.leave(event_id, person, now, how=how, held=held)]
    if was == "revoked":
        raise errors.BadQueueToken()
    if was != "none":
        yield [store.delist(event_id, person)]
    elif how == "left":
        yield from _require_desk(event_id, person, now)
    return was


def _require_desk(event_id: int, person: str, now: datetime) -> Program[None]:
    """Nobody is told that they left a line which is only out of sight."""
    (found,) = yield [store.look(event_id, person, now)]
    if not found.epoch:
        raise errors.QueueUnavailable()


def _refusal(verdict: ScriptResult) -> Exception:
    if verdict.word == "blocked":
        return errors.Blocked(why=verdict.why)
    return REFUSALS[verdict.word]()

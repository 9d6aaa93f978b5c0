"""What fans do: join, poll, claim, leave; and the check in front of everything inside.

Each comes in two forms, for threads and for coroutines. Both are one round trip to Redis in the
usual case and read no table; only the check asks the database where Redis has no line.
"""

from datetime import datetime

from ticketing.core.fast_path.threads import in_thread
from waiting_queue import errors, metrics, store
from waiting_queue.live.hub import QueueHub
from waiting_queue.services.lost_places import may_be_lost, restore_lost_place
from waiting_queue.services.no_line import require_open_sale
from waiting_queue.store import ScriptCall, ScriptResult, Standing
from waiting_queue.tokens import QueueToken

# Longer than a join can take, including clocks that disagree.
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
    memberships, result = store.run_all(_join_calls(event_id, person, now))
    if result.outcome not in {"joined", "already"}:
        store.run(store.remove_membership(event_id, person))
        raise _refusal(result)
    if _may_exceed_limit(event_id, memberships, result, now):
        _enforce_limit(event_id, person, now, memberships, result.standing.lines_allowed)
    return result.standing


async def ajoin(*, event_id: int, person: str, now: datetime) -> Standing:
    memberships, result = await store.arun_all(_join_calls(event_id, person, now))
    if result.outcome not in {"joined", "already"}:
        await store.arun(store.remove_membership(event_id, person))
        raise _refusal(result)
    if _may_exceed_limit(event_id, memberships, result, now):
        allowed = result.standing.lines_allowed
        await in_thread(_enforce_limit, event_id, person, now, memberships, allowed)
    return result.standing


def standing(
    *, event_id: int, person: str, now: datetime, token: QueueToken | None = None
) -> Standing:
    """Where this person stands; asking is the heartbeat that keeps the place."""
    found = _known(store.run(store.poll(event_id, person, now, token=token)))
    if token and may_be_lost(found, token):
        return restore_lost_place(token, found, now=now)
    return found


async def astanding(
    *, event_id: int, person: str, now: datetime, token: QueueToken | None = None
) -> Standing:
    metrics.POLLS_ANSWERED_BY_REDIS.inc()
    found = _known(await store.arun(store.poll(event_id, person, now, token=token)))
    if token and may_be_lost(found, token):
        return await in_thread(restore_lost_place, token, found, now=now)
    return found


def known_standing(token: QueueToken, *, luck: float, turn: int) -> str | None:
    """The answer to a poll of somebody who waits, as JSON, if this process can compute it.

    `turn` is the last one that they have seen, 0 if they don't say.
    """
    known = QueueHub.current().answer(token, luck, turn)
    if known:
        metrics.POLLS_ANSWERED_LOCALLY.inc()
    return known


def claim(
    *,
    event_id: int,
    person: str,
    now: datetime,
    token: QueueToken | None = None,
    waited_ms: int = 0,
) -> Standing:
    """Go inside, if it is this person's turn. The time at which they asked for it counts."""
    call = store.claim(event_id, person, now, waited_ms=waited_ms, token=token)
    return _claimed(store.run(call))


async def aclaim(
    *,
    event_id: int,
    person: str,
    now: datetime,
    token: QueueToken | None = None,
    waited_ms: int = 0,
) -> Standing:
    call = store.claim(event_id, person, now, waited_ms=waited_ms, token=token)
    return _claimed(await store.arun(call))


def leave(*, event_id: int, person: str, now: datetime, token: QueueToken | None = None) -> str:
    """Give up place, call or pass. Returns the state that the person had."""
    was = store.run(store.leave(event_id, person, now, token=token))
    if was == "revoked":
        raise errors.BadQueueToken()
    if was == "none":
        # Nobody is told that they left a line which is only being rebuilt.
        _known(store.run(store.peek(event_id, person, now)))
    else:
        store.run(store.remove_membership(event_id, person))
    return was


async def aleave(
    *, event_id: int, person: str, now: datetime, token: QueueToken | None = None
) -> str:
    was = await store.arun(store.leave(event_id, person, now, token=token))
    if was == "revoked":
        raise errors.BadQueueToken()
    if was == "none":
        found = await store.arun(store.peek(event_id, person, now))
        _known(found)
    else:
        await store.arun(store.remove_membership(event_id, person))
    return was


def complete(*, event_id: int, person: str, now: datetime) -> str:
    """The person is done inside: their place goes to the next. Call it after the commit."""
    was = store.run(store.leave(event_id, person, now, how="completed"))
    if was != "none":
        store.run(store.remove_membership(event_id, person))
    return was


def require_admission(*, event_id: int, person: str, now: datetime) -> Standing:
    """Refuse everybody who is not inside, and renew the pass of those who are."""
    found = standing(event_id=event_id, person=person, now=now)
    if found.state != "admitted":
        raise errors.NotAdmitted()
    return found


def require_turn(*, event_id: int, person: str, now: datetime) -> None:
    """The same, but without a queue in front of the sale everybody may go on."""
    found = store.run(store.poll(event_id, person, now))
    if not _has_line(found):
        require_open_sale(event_id)


async def arequire_turn(*, event_id: int, person: str, now: datetime) -> None:
    found = await store.arun(store.poll(event_id, person, now))
    if not _has_line(found):
        await in_thread(require_open_sale, event_id)


def token_of(event_id: int, person: str, found: Standing) -> str:
    """The `qr_` token of a place in line."""
    return QueueToken(event_id, person, found.number, found.epoch).sign()


def _join_calls(event_id: int, person: str, now: datetime) -> list[ScriptCall]:
    return [store.add_membership(event_id, person, now), store.join(event_id, person, now)]


def _may_exceed_limit(
    event_id: int, memberships: dict[int, int], result: ScriptResult, now: datetime
) -> bool:
    """Whether the limit of lines a person may be in must be checked with more calls."""
    allowed = result.standing.lines_allowed if result.standing else 0
    if result.outcome != "joined" or not allowed:
        return False
    return len(memberships) > allowed or _is_old(memberships[event_id], now)


def _is_old(since: int, now: datetime) -> bool:
    return since <= now.timestamp() - JOINING_SECONDS


def _enforce_limit(
    event_id: int, person: str, now: datetime, memberships: dict[int, int], allowed: int
) -> None:
    """Lines the person is in already win; of those joined just now, the first noted.

    Noting and joining are two steps, and on a cluster two trips: a fresh membership counts,
    whatever the line says; an old one counts if the line says so too, and is removed otherwise.
    """
    if _is_old(memberships[event_id], now):  # left over from an earlier stay
        memberships = store.run(store.add_membership(event_id, person, now, again=True))
    if len(memberships) <= allowed:
        return
    others = [other for other in memberships if other != event_id]
    earlier = list(memberships)[: list(memberships).index(event_id)]
    old = [other for other in others if _is_old(memberships[other], now)]
    found = store.run_all([store.peek(other, person, now) for other in old])
    present = {other for other, there in zip(old, found, strict=True) if there.state in LIVE}
    if gone := set(old) - present:
        store.run_all(
            [store.remove_membership(other, person, since=memberships[other]) for other in gone]
        )
    taken = [other for other in others if other in present or other in set(earlier) - set(old)]
    if len(taken) >= allowed:
        store.run_all(
            [store.leave(event_id, person, now), store.remove_membership(event_id, person)]
        )
        raise errors.InAnotherLine(events=taken)


def _known(found: Standing | None) -> Standing:
    if found is None:
        raise errors.BadQueueToken()
    if not found.epoch:
        raise errors.QueueUnavailable()
    return found


def _has_line(found: Standing | None) -> bool:
    """False where Redis has no line; refuses everybody who is not inside."""
    if found is None or not found.epoch:
        return False
    if found.state != "admitted":
        raise errors.NotAdmitted()
    return True


def _claimed(result: ScriptResult) -> Standing:
    if result.outcome not in {"claimed", "already"} or result.standing is None:
        raise _refusal(result)
    return result.standing


def _refusal(result: ScriptResult) -> Exception:
    if result.outcome == "blocked":
        return errors.Blocked(why=result.reason)
    return REFUSALS[result.outcome]()

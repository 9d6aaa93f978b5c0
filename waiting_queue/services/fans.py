"""What fans do: join, poll, claim, leave; and the check in front of everything inside.

Each comes in two forms, for threads and for coroutines. Both are one round trip to Redis in the
usual case and read no table; only the check asks the database where Redis has no line.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from ticketing.accounts.errors import IdentityNotVerified
from ticketing.core.fast_path.threads import in_thread
from ticketing.events.selectors import require_own_sale
from ticketing.events.services import KnownPerson, aentry_rule, entry_rule
from waiting_queue import errors, metrics, store
from waiting_queue.live.hub import QueueHub
from waiting_queue.services.challenges import (
    Admission,
    Newcomer,
    aadmit_newcomer,
    admit_newcomer,
    first_signals,
)
from waiting_queue.services.line_limit import enforce_limit, may_exceed_limit
from waiting_queue.services.lost_places import may_be_lost, restore_lost_place
from waiting_queue.services.refusals import refusal_of
from waiting_queue.services.signals import (
    record_refused,
    record_refused_later,
    record_signals,
    record_signals_later,
)
from waiting_queue.store import ScriptCall, ScriptResult, Standing
from waiting_queue.tokens import QueueToken

NOT_ASKED = Admission({})


def join(
    *,
    event_id: int,
    person: str,
    now: datetime,
    browser: str = "",
    lane: int = 0,
    known: KnownPerson | None = None,
    newcomer: Newcomer | None = None,
) -> Standing:
    """Take a number, or keep the one there is. Whoever is inside at once has the pass here.

    The caller has checked the key of the lane. `known` is what the caller's session says about
    them: the event may ask for more. A `newcomer` may be asked for a challenge first.
    """
    who: Any = {"event_id": event_id, "person": person, "now": now}
    if known:
        _require_entry(**who, known=known, newcomer=newcomer)
    admission = admit_newcomer(**who, newcomer=newcomer) if newcomer else NOT_ASKED
    calls = _join_calls(event_id, person, now, browser, admission.solution, lane)
    memberships, result = store.run_all(calls)
    if result.outcome not in {"joined", "already"}:
        store.run(store.remove_membership(event_id, person))
        if newcomer and result.outcome == "solution_used":
            return join(**who, browser=browser, lane=lane, newcomer=replace(newcomer, solution=""))
        raise refusal_of(result)
    if may_exceed_limit(event_id, memberships, result, now):
        enforce_limit(event_id, person, now, memberships, result.standing.lines_allowed)
    if admission.signals and result.standing.just_joined:
        record_signals(event_id, person, admission.signals)
    return result.standing


async def ajoin(
    *,
    event_id: int,
    person: str,
    now: datetime,
    browser: str = "",
    known: KnownPerson | None = None,
    newcomer: Newcomer | None = None,
) -> Standing:
    """Join everybody's lane."""
    who: Any = {"event_id": event_id, "person": person, "now": now}
    if known:
        await _arequire_entry(**who, known=known, newcomer=newcomer)
    admission = await aadmit_newcomer(**who, newcomer=newcomer) if newcomer else NOT_ASKED
    calls = _join_calls(event_id, person, now, browser, admission.solution)
    memberships, result = await store.arun_all(calls)
    if result.outcome not in {"joined", "already"}:
        await store.arun(store.remove_membership(event_id, person))
        if newcomer and result.outcome == "solution_used":
            return await ajoin(**who, browser=browser, newcomer=replace(newcomer, solution=""))
        raise refusal_of(result)
    if may_exceed_limit(event_id, memberships, result, now):
        allowed = result.standing.lines_allowed
        await in_thread(enforce_limit, event_id, person, now, memberships, allowed)
    if admission.signals and result.standing.just_joined:
        record_signals_later(event_id, person, admission.signals)
    return result.standing


def _require_entry(
    *, event_id: int, person: str, known: KnownPerson, newcomer: Newcomer | None, now: datetime
) -> None:
    """Refuse whoever has not shown what the event asks for; who lacks an identity is a signal."""
    try:
        entry_rule(event_id).check(known)
    except IdentityNotVerified:
        if newcomer:
            record_refused(event_id, person, first_signals(newcomer, now))
        raise


async def _arequire_entry(
    *, event_id: int, person: str, known: KnownPerson, newcomer: Newcomer | None, now: datetime
) -> None:
    try:
        (await aentry_rule(event_id)).check(known)
    except IdentityNotVerified:
        if newcomer:
            record_refused_later(event_id, person, first_signals(newcomer, now))
        raise


def standing(
    *,
    event_id: int,
    person: str,
    now: datetime,
    token: QueueToken | None = None,
    browser: str = "",
) -> Standing:
    """Where this person stands; asking is the heartbeat that keeps the place."""
    found = _known(store.run(store.poll(event_id, person, now, token=token, browser=browser)))
    if token and may_be_lost(found, token):
        return restore_lost_place(token, found, now=now)
    return found


async def astanding(
    *,
    event_id: int,
    person: str,
    now: datetime,
    token: QueueToken | None = None,
    browser: str = "",
) -> Standing:
    metrics.POLLS_ANSWERED_BY_REDIS.inc()
    call = store.poll(event_id, person, now, token=token, browser=browser)
    found = _known(await store.arun(call))
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
    browser: str = "",
) -> Standing:
    """Go inside, if it is this person's turn. The time at which they asked for it counts."""
    call = store.claim(event_id, person, now, waited_ms=waited_ms, token=token, browser=browser)
    return _claimed(store.run(call))


async def aclaim(
    *,
    event_id: int,
    person: str,
    now: datetime,
    token: QueueToken | None = None,
    waited_ms: int = 0,
    browser: str = "",
) -> Standing:
    call = store.claim(event_id, person, now, waited_ms=waited_ms, token=token, browser=browser)
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


def complete(*, event_id: int, person: str, seats: int = 0, now: datetime) -> str:
    """The person is done inside, with so many seats: their place goes to the next.

    Call it after the commit.
    """
    was = store.run(store.leave(event_id, person, now, how="completed", why=str(seats)))
    if was != "none":
        store.run(store.remove_membership(event_id, person))
    return was


async def acomplete(*, event_id: int, person: str, seats: int = 0, now: datetime) -> str:
    """The same for coroutines."""
    was = await store.arun(store.leave(event_id, person, now, how="completed", why=str(seats)))
    if was != "none":
        await store.arun(store.remove_membership(event_id, person))
    return was


def mark_at_limit(
    *, event_ids: Sequence[int], find_people: Callable[[], Mapping[int, set[str]]]
) -> None:
    """Those found, and no others, have as many seats as a person may have: they can't join.

    Whoever reaches the limit while they are searched for stays marked.
    """
    known = store.people_at_limit_of_each(event_ids)
    found = find_people()
    for event_id in event_ids:
        store.replace_at_limit(event_id, known[event_id], found.get(event_id, set()))


def require_admission(*, event_id: int, person: str, now: datetime) -> Standing:
    """Refuse everybody who is not inside, and renew the turn of those who are."""
    found = standing(event_id=event_id, person=person, now=now)
    if found.state != "admitted":
        raise errors.NotAdmitted()
    return found


def token_of(event_id: int, person: str, found: Standing) -> str:
    """The `qr_` token of a place in line."""
    return QueueToken(event_id, person, found.number, found.epoch).sign()


def _join_calls(
    event_id: int, person: str, now: datetime, browser: str, solution: str, lane: int = 0
) -> list[ScriptCall]:
    require_own_sale(event_id=event_id, person_id=int(person))
    join_line = store.join(event_id, person, now, browser=browser, lane=lane, solution=solution)
    return [store.add_membership(event_id, person, now), join_line]


def _known(found: Standing | None) -> Standing:
    if found is None:
        raise errors.BadQueueToken()
    if not found.epoch:
        raise errors.QueueUnavailable()
    return found


def _claimed(result: ScriptResult) -> Standing:
    if result.outcome not in {"claimed", "already"} or result.standing is None:
        raise refusal_of(result)
    return result.standing

"""In how many lines one person may be (`queues_per_person`)."""

from datetime import datetime

from waiting_queue import errors, store
from waiting_queue.selectors.standings import LIVE
from waiting_queue.store import ScriptResult

# Longer than a join can take, including clocks that disagree.
JOINING_SECONDS = 10


def may_exceed_limit(
    event_id: int, memberships: dict[int, int], result: ScriptResult, now: datetime
) -> bool:
    """Whether the limit of lines a person may be in must be checked with more calls."""
    allowed = result.standing.lines_allowed if result.standing else 0
    if result.outcome != "joined" or not allowed:
        return False
    return len(memberships) > allowed or _is_old(memberships[event_id], now)


def _is_old(since: int, now: datetime) -> bool:
    return since <= now.timestamp() - JOINING_SECONDS


def enforce_limit(
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

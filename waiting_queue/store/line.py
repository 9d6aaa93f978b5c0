"""One function for each script: it says what to run, `run` and `arun` run it."""

from collections.abc import Sequence
from datetime import datetime
from functools import partial
from itertools import chain
from typing import Any

from django.conf import settings

from ticketing.core.challenges import LIFETIME_MS as SOLUTION_MS
from waiting_queue import keys
from waiting_queue.store.results import (
    DrawResult,
    Invitation,
    Rules,
    ScriptResult,
    Standing,
    TickResult,
    ms,
    parse_draw,
    parse_invitation,
    parse_memberships,
    parse_poll,
    parse_result,
    parse_snapshot,
    parse_standing,
    parse_tick,
    parse_tick_message,
)
from waiting_queue.store.scripts import ScriptCall, script
from waiting_queue.tick_message import TickMessage
from waiting_queue.tokens import QueueToken

# A claim that arrived in time and is decided so much later is still in time.
CLAIM_GRACE_MS = 3_000
# How long companions may join with a code.
INVITATION_MS = 1_800_000
# People listed in one tick message, so that Redis is never busy for long.
CHANGES_BATCH = 5_000


def join(
    event_id: int,
    person: str,
    now: datetime,
    *,
    browser: str = "",
    lane: int = 0,
    solution: str = "",
) -> ScriptCall[ScriptResult]:
    """`solution` names the challenge that was solved, and is used up by joining; empty: none."""
    args = [person, ms(now), settings.MOVES_PER_MINUTE, browser, lane]
    more_keys = [keys.moves(event_id, person)]
    if solution:
        args.append(SOLUTION_MS)
        more_keys.append(keys.solved(event_id, solution))
    return _call("join", event_id, args, parse_result, *more_keys)


def poll(
    event_id: int,
    person: str,
    now: datetime,
    *,
    token: QueueToken | None = None,
    browser: str = "",
) -> ScriptCall[Standing | None]:
    """A person's standing, and a heartbeat. None if the token is of an earlier stay."""
    return _call("poll", event_id, [person, ms(now), *_stay(token), browser], parse_poll)


def peek(event_id: int, person: str, now: datetime) -> ScriptCall[Standing]:
    """A person's standing without a heartbeat."""
    return _call("peek", event_id, [person, ms(now)], parse_standing)


def claim(
    event_id: int,
    person: str,
    now: datetime,
    *,
    waited_ms: int = 0,
    token: QueueToken | None = None,
    browser: str = "",
) -> ScriptCall[ScriptResult]:
    """`waited_ms` is how long ago the request arrived."""
    args = [person, ms(now), min(waited_ms, CLAIM_GRACE_MS), *_stay(token), browser]
    return _call("claim", event_id, args, parse_result)


def take_over(
    event_id: int, person: str, now: datetime, *, browser: str
) -> ScriptCall[ScriptResult]:
    return _call("take_over", event_id, [person, ms(now), browser], parse_result)


def leave(
    event_id: int,
    person: str,
    now: datetime,
    *,
    how: str = "left",
    why: str = "",
    token: QueueToken | None = None,
) -> ScriptCall[str]:
    args = [person, ms(now), how, why, *_stay(token)]
    return _call("leave", event_id, args, str, keys.moves(event_id, person))


def tick(
    event_id: int,
    rules: Rules,
    now: datetime,
    *,
    is_behind: bool = False,
    batch: int | None = None,
    sweep: int | None = None,
) -> ScriptCall[TickResult]:
    """`is_behind`: a server process says that it is, so nobody's time to claim runs.

    It calls `batch` people and removes `sweep` at most, so that Redis is never busy for long.
    """
    most = [batch or settings.TICK_BATCH, sweep or settings.SWEEP_BATCH]
    args = [ms(now), *most, CLAIM_GRACE_MS, int(is_behind), *rules.as_args()]
    return _call("tick", event_id, args, parse_tick)


def configure(
    event_id: int, rules: Rules, now: datetime, *, new: bool = False, rebuild: str = ""
) -> ScriptCall[int]:
    """`rebuild` is the mark with which it began; -1 if Redis has lost the line again since."""
    return _call("configure", event_id, [ms(now), rebuild or int(new), *rules.as_args()], int)


def begin_rebuild(event_id: int, mark: str) -> ScriptCall[int]:
    return _call("begin_rebuild", event_id, [mark], int)


def draw(
    event_id: int,
    people: Sequence[str],
    first_number: int,
    now: datetime,
    *,
    epoch: str,
    before: int = 0,
    minute: int = 0,
) -> ScriptCall[DrawResult]:
    """Of the lobby at the opening, or of those who came in this minute.

    `people` are a part of the list, of which so many come `before` them.
    """
    args = [ms(now), epoch, minute, first_number, before, *people]
    return _call("draw", event_id, args, parse_draw)


def finish_minute(event_id: int, minute: int, *, epoch: str) -> ScriptCall[int]:
    return _call("finish_minute", event_id, [minute, epoch], int)


def restore_place(event_id: int, person: str, number: int, now: datetime) -> ScriptCall[Standing]:
    return _call("restore_place", event_id, [person, ms(now), number], parse_standing)


def demote(
    event_id: int, people: Sequence[str], *, batch: str, why: str, now: datetime
) -> ScriptCall[list[str]]:
    """Those who were moved to the end of the line; a repeat of the batch moves nobody."""
    return _call("demote", event_id, [ms(now), batch, why, *people], list)


def undo_demotion(event_id: int, person: str, now: datetime) -> ScriptCall[bool]:
    return _call("undo_demotion", event_id, [person, ms(now)], bool)


def set_bypass(event_id: int, people: Sequence[str]) -> ScriptCall[int]:
    return _call("set_bypass", event_id, people, int)


def set_unverified(event_id: int, people: Sequence[str]) -> ScriptCall[int]:
    return _call("set_unverified", event_id, people, int)


def invite(event_id: int, person: str, code: str, now: datetime) -> ScriptCall[Invitation]:
    """The person's code, which is this one unless they have one already."""
    args = [person, ms(now), code, INVITATION_MS]
    more_keys = keys.own_code(event_id, person), keys.invitation(event_id, code)
    return _call("invite", event_id, args, parse_invitation, *more_keys)


def join_party(
    event_id: int, person: str, code: str, now: datetime, *, lane: int = 0, solution: str = ""
) -> ScriptCall[ScriptResult]:
    """`lane`: the person has a key of it. `solution`: as in `join`."""
    args = [person, ms(now), settings.MOVES_PER_MINUTE, lane]
    more_keys = [keys.moves(event_id, person), keys.invitation(event_id, code)]
    if solution:
        args.append(SOLUTION_MS)
        more_keys.append(keys.solved(event_id, solution))
    return _call("join_party", event_id, args, parse_result, *more_keys)


def snapshot(event_id: int) -> ScriptCall[dict[str, str]]:
    return _call("snapshot", event_id, [], parse_snapshot)


def tick_message(event_id: int, *, most: int = CHANGES_BATCH) -> ScriptCall[TickMessage | None]:
    """None while the line is being rebuilt."""
    return _call("tick_message", event_id, [most], partial(parse_tick_message, event_id))


def heartbeat(event_id: int, people: Sequence[str], now: datetime) -> ScriptCall[int]:
    return _call("heartbeat", event_id, [ms(now), *people], int)


def add_membership(
    event_id: int, person: str, now: datetime, *, again: bool = False
) -> ScriptCall[dict[int, int]]:
    """All events whose lines the person is in, in order of joining, and since when in seconds."""
    args = [event_id, ms(now) // 1000, int(again)]
    return ScriptCall(script("add_membership"), [keys.memberships(person)], args, parse_memberships)


def remove_membership(event_id: int, person: str, *, since: int | None = None) -> ScriptCall[int]:
    args = [event_id] if since is None else [event_id, since]
    return ScriptCall(script("remove_membership"), [keys.memberships(person)], args, int)


def lease_pages(
    event_id: int, pages: Sequence[tuple[str, int]], now: datetime, *, lease_ms: int
) -> ScriptCall[list[int]]:
    """Pages are a person and the place that the page has, negative if it is closed."""
    args = [ms(now), lease_ms, settings.PAGES_PER_PERSON, *chain.from_iterable(pages)]
    return ScriptCall(script("lease_pages"), [keys.pages(event_id)], args, list)


def _call(
    name: str, event_id: int, args: Sequence[Any], parse: Any, *more_keys: str
) -> ScriptCall[Any]:
    its = script(name)
    return ScriptCall(its, (*keys.named(event_id, its.keys), *more_keys), args, parse)


def _stay(token: QueueToken | None) -> list[Any]:
    """The arguments that tell a script for which stay in line a token was given."""
    return [token.number, token.epoch] if token else ["", ""]

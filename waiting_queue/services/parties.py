"""Parties: companions join somebody's place in line with a code, and are called together."""

import secrets
from dataclasses import replace
from datetime import datetime
from typing import Any

from ticketing.events.services import KnownPerson, entry_rule
from waiting_queue import store
from waiting_queue.selectors.standings import LIVE
from waiting_queue.services.challenges import Newcomer, admit_newcomer
from waiting_queue.services.fans import NOT_ASKED
from waiting_queue.services.lane_keys import require_key
from waiting_queue.services.line_limit import enforce_limit, may_exceed_limit
from waiting_queue.services.refusals import refusal_of
from waiting_queue.services.signals import record_signals
from waiting_queue.store import Invitation, ScriptCall, ScriptResult, Standing

# Without letters and digits that look alike; 50 bits, more than can be tried while a code is valid.
CODE_LETTERS, CODE_LENGTH = "ABCDEFGHJKLMNPQRSTUVWXYZ23456789", 10


def invite(*, event_id: int, person: str, now: datetime) -> Invitation:
    """Return the code with which others join this person's party; the same one for some time."""
    code = "".join(secrets.choice(CODE_LETTERS) for _ in range(CODE_LENGTH))
    invitation = store.run(store.invite(event_id, person, code, now))
    if invitation.outcome != "invited":
        raise refusal_of(ScriptResult(invitation.outcome))
    return invitation


def join_party(
    *,
    event_id: int,
    person: str,
    code: str,
    now: datetime,
    known: KnownPerson | None = None,
    newcomer: Newcomer | None = None,
) -> Standing:
    """Join the party with this code, and give up the place that one has.

    `known` is what the caller's session says about them: the event may ask for more. A `newcomer`
    who has no place in the line yet may be asked for a challenge, as everybody is. In a lane with
    keys everyone needs one: with a place that was handed over, and a key that stays with its
    person, one key would be good for any number of places.
    """
    if known:
        entry_rule(event_id).check(known)
    who: Any = {"event_id": event_id, "person": person, "now": now}
    admission = admit_newcomer(**who, newcomer=newcomer) if newcomer else NOT_ASKED
    solution = admission.solution
    memberships, result = store.run_all(_calls(event_id, person, code, now, solution))
    if result.outcome == "needs_key":
        lane = int(result.reason)
        require_key(**who, lane=lane)
        memberships, result = store.run_all(_calls(event_id, person, code, now, solution, lane))
    if newcomer and result.outcome == "solution_used":
        store.run(store.remove_membership(event_id, person))
        return join_party(**who, code=code, newcomer=replace(newcomer, solution=""))
    if result.outcome not in {"joined", "already"}:
        if result.standing and result.standing.state not in LIVE:
            store.run(store.remove_membership(event_id, person))
        raise refusal_of(result)
    if may_exceed_limit(event_id, memberships, result, now):
        enforce_limit(event_id, person, now, memberships, result.standing.lines_allowed)
    if admission.signals and result.standing.just_joined:
        record_signals(event_id, person, admission.signals)
    return result.standing


def _calls(
    event_id: int, person: str, code: str, now: datetime, solution: str, lane: int = 0
) -> list[ScriptCall]:
    join = store.join_party(event_id, person, clean_code(code), now, lane=lane, solution=solution)
    return [store.add_membership(event_id, person, now), join]


def clean_code(text: str) -> str:
    """Return a code as it was given, however somebody typed it."""
    return "".join(letter for letter in text.upper() if letter in CODE_LETTERS)[:CODE_LENGTH]

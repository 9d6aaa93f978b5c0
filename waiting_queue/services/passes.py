"""The pass of somebody inside: checked at every hold, had by one browser at a time.

Redis answers for the turn and for the browser in one step. What was let through there, and is still
on its way to the database, is stopped there by the number of take-overs that it saw (`Turn`).
"""

from dataclasses import dataclass
from datetime import datetime
from typing import Any

from ticketing.core.browsers import Browser
from ticketing.core.errors import TooManyRequests
from ticketing.core.throttle import network_of
from ticketing.events.selectors import require_own_sale
from ticketing.events.services import arequire_identity, require_identity
from waiting_queue import errors, store
from waiting_queue.services.no_line import arequire_open_sale, require_open_sale
from waiting_queue.services.verification_requests import ais_asked, people_asked
from waiting_queue.store import ScriptCall, Standing
from waiting_queue.tokens import PREFIX, QueueToken, read_token


@dataclass(frozen=True, slots=True)
class PassProof:
    """What a request shows: its browser, and the pass if it came with one."""

    browser: Browser
    token: QueueToken | None = None
    address: str = ""  # of the client; empty: nothing is counted


@dataclass(frozen=True, slots=True)
class Turn:
    """Which stay in line was checked, and how often its pass had been taken over by then."""

    stay: str = ""  # empty: there is no line in front of the sale
    moves: int = 0
    party: int | None = None  # the number of those who were called together: they share one limit
    lane: int | None = None  # that they came through, which says what they may buy; None: no lanes


OPEN_SALE = Turn()


def read_pass(secret: str, *, event_id: int, now: datetime) -> QueueToken | None:
    """The pass in a bearer token, if it is one of this event; None if it is no queue token.

    It says who holds it, so it takes the place of a session.
    """
    if not secret.startswith(PREFIX):
        return None
    token = read_token(secret)
    token.require_current(now)
    if token.event_id != event_id or not token.browser:
        raise errors.BadQueueToken()
    return token


def require_turn(
    *, event_id: int, person: str, now: datetime, proof: PassProof | None = None
) -> Turn:
    """Refuse everybody who is not inside with this browser, and renew the turn of those who are.

    Where the event or an operator asks for it, also refuse whoever is not verified. Without a queue
    in front of the sale everybody may go on. Without a `proof`, as for what the site does by
    itself, any browser will do.
    """
    found, *counted = store.run_all(_checks(event_id, person, now, proof))
    turn = _checked(found, proof)
    if turn is None:
        require_open_sale(event_id)
    _require_calm(counted)
    is_asked = person in people_asked(event_id)
    require_identity(event_id=event_id, person_id=int(person), is_asked=is_asked)
    return turn or OPEN_SALE


async def arequire_turn(
    *, event_id: int, person: str, now: datetime, proof: PassProof | None = None
) -> Turn:
    found, *counted = await store.arun_all(_checks(event_id, person, now, proof))
    turn = _checked(found, proof)
    if turn is None:
        await arequire_open_sale(event_id)
    _require_calm(counted)
    is_asked = await ais_asked(event_id, person)
    await arequire_identity(event_id=event_id, person_id=int(person), is_asked=is_asked)
    return turn or OPEN_SALE


def take_over(*, event_id: int, person: str, now: datetime, browser: str) -> Standing:
    """Give the pass to this browser. From now on holds of the others are refused.

    Those that were let through before are stopped in the database, by the number of take-overs
    (`reservations.services.take_over`).
    """
    result = store.run(store.take_over(event_id, person, now, browser=browser))
    if result.standing is None:
        raise errors.QueueUnavailable()
    if result.standing.state != "admitted":
        raise errors.NotAdmitted()
    return result.standing


def turn_of(found: Standing) -> Turn:
    party = found.number if found.leader else None
    lane = found.lane if found.share else None
    return Turn(f"{found.epoch}.{found.number}", found.moves, party, lane)


def _checks(
    event_id: int, person: str, now: datetime, proof: PassProof | None
) -> list[ScriptCall[Any]]:
    """The turn, and where a request came from somewhere, how many others did: one round trip."""
    require_own_sale(event_id=event_id, person_id=int(person))
    if proof is None:
        return [store.poll(event_id, person, now)]
    browser = proof.browser.known_mark
    poll = store.poll(event_id, person, now, token=proof.token, browser=browser)
    if not proof.address:
        return [poll]
    network = network_of(proof.address)
    return [poll, store.count_hold(event_id, person, network=network, device=browser)]


def _require_calm(counted: list[tuple[str, int]]) -> None:
    """Refuse whoever has to cool down, and holds from everywhere at once."""
    for outcome, left_ms in counted:
        if outcome == "go":
            continue
        refusal = errors.CoolingDown if outcome == "cool_down" else TooManyRequests
        raise refusal(retry_after=max(1, -(-left_ms // 1000)))


def _checked(found: Standing | None, proof: PassProof | None) -> Turn | None:
    """None where Redis has no line."""
    if found is None:  # only with a token: of an earlier stay
        raise errors.BadQueueToken()
    if not found.epoch:
        return None
    if found.state != "admitted":
        raise errors.NotAdmitted()
    token = proof.token if proof else None
    if token and (token.number, token.epoch) != (found.number, found.epoch):
        raise errors.BadQueueToken()
    if proof and found.is_elsewhere(proof.browser.mark):
        raise errors.PassElsewhere()
    return turn_of(found)

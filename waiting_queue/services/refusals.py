"""The error for each refusal of a Lua script."""

from datetime import UTC, datetime

from waiting_queue import errors
from waiting_queue.store import ScriptResult

REFUSALS = {
    "lost": errors.QueueUnavailable,
    "at_limit": errors.LimitReached,
    "not_open": errors.QueueNotOpen,
    "over": errors.QueueOver,
    "full": errors.QueueFull,
    "not_yet": errors.NotYourTurn,
    "late": errors.TooLate,
    "not_in_line": errors.NotInLine,
    "revoked": errors.BadQueueToken,
    "no_parties": errors.NoParties,
    "no_invitation": errors.NoInvitation,
    "not_leader": errors.NotLeader,
    "party_full": errors.PartyFull,
    "too_late": errors.TooLateForParty,
    "demoted": errors.DemotedAlone,
    "needs_key": errors.PartyNeedsKey,
}


def refusal_of(result: ScriptResult) -> Exception:
    if result.outcome == "blocked":
        return errors.Blocked(why=result.reason)
    if result.outcome == "lane_not_open":
        opens_at = datetime.fromtimestamp(int(result.reason) / 1000, UTC)
        known = opens_at.isoformat(timespec="milliseconds") if int(result.reason) else None
        return errors.LaneNotOpen(opens_at=known)
    if result.outcome == "too_often":
        return errors.TooManyMoves(retry_after=max(int(result.reason), 1))
    return REFUSALS[result.outcome]()

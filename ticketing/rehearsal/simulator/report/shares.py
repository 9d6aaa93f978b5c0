"""What bots got beside people: places, seats, and how long challenges kept either of them."""

from typing import Any

from ticketing.rehearsal.simulator.judge.admissions import calls
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence

BOT = "bot "


def shares_of(evidence: IndexedEvidence) -> dict[str, Any]:
    """Empty without bots. A share is what a bot got of what a person got, in percent."""
    bots, people = set[int](), set[int]()
    for record in evidence.of("arrive"):
        is_bot = str(record.data.get("persona", "")).startswith(BOT)
        (bots if is_bot else people).add(record.user)
    if not bots or not people:
        return {}
    kinds = {"bots": bots, "people": people}
    found: dict[str, Any] = {name: _got(evidence, users) for name, users in kinds.items()}
    for what in ("places", "seats"):
        per_person = found["people"][what] / len(people)
        per_bot = found["bots"][what] / len(bots)
        found[f"{what}_percent"] = round(100 * per_bot / per_person, 1) if per_person else None
    return found


def _got(evidence: IndexedEvidence, users: set[int]) -> dict[str, Any]:
    accounts = {evidence.person_of[user] for user in users if user in evidence.person_of}
    called = {entry.person for entry, _there in calls(evidence.journal)}
    sold = evidence.facts.get("sold", [])
    took = sorted(
        record.ended - record.began for record in evidence.of("challenge") if record.user in users
    )
    return {
        "users": len(users),
        "places": len(called & accounts),
        "seats": sum(owner in accounts for _seat, owner in sold),
        "challenges": len(took),
        "challenge_seconds_p95": round(took[int(0.95 * (len(took) - 1))], 2) if took else 0.0,
        "challenge_seconds_longest": round(took[-1], 2) if took else 0.0,
    }

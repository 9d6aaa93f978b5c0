"""Two histories of the same crowd, and what must be so in each.

The *ledger* is kept by a trigger under the locks, in the order in which the database did it. The
*claims* are what buyers were told: from the answer on a seat was theirs, until they began to give
it back or its time was up. Neither may ever show two owners of a seat.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db import connection

LEDGER = """
CREATE TABLE history_ledger (
    id bigserial PRIMARY KEY, seat bigint, fan bigint, code text, live bool
);
CREATE FUNCTION history_note() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'INSERT' OR NEW.live <> OLD.live THEN
        INSERT INTO history_ledger (seat, fan, code, live)
        SELECT NEW.seat_id, fan_id, code, NEW.live
        FROM reservations_reservation WHERE id = NEW.reservation_id;
    END IF;
    RETURN NULL;
END $$;
CREATE TRIGGER history_trigger AFTER INSERT OR UPDATE ON reservations_reservedseat
FOR EACH ROW EXECUTE FUNCTION history_note();
"""
NO_LEDGER = """
DROP TRIGGER history_trigger ON reservations_reservedseat;
DROP FUNCTION history_note();
DROP TABLE history_ledger;
"""
NEVER = float("inf")


@dataclass(frozen=True)
class Entry:
    seat: int
    fan: int
    code: str
    live: bool


@dataclass(frozen=True)
class Claim:
    """A seat was surely this reservation's from `start` until `end`."""

    seat: int
    code: str
    start: float
    end: float


def run_sql(statements: str) -> None:
    with connection.cursor() as cursor:
        cursor.execute(statements)


def ledger() -> list[Entry]:
    with connection.cursor() as cursor:
        cursor.execute("SELECT seat, fan, code, live FROM history_ledger ORDER BY id")
        return [Entry(*row) for row in cursor.fetchall()]


def faults_of_ledger(entries: Iterable[Entry], *, limit: int) -> list[str]:
    """Every moment at which a seat had two owners, or a person more than the limit."""
    owners: dict[int, set[str]] = defaultdict(set)
    counts: Counter[int] = Counter()
    faults = []
    for number, entry in enumerate(entries):
        if entry.live:
            owners[entry.seat].add(entry.code)
        else:
            owners[entry.seat].discard(entry.code)
        counts[entry.fan] += 1 if entry.live else -1
        if len(owners[entry.seat]) > 1:
            faults.append(f"{number}: seat {entry.seat} has {sorted(owners[entry.seat])}")
        if counts[entry.fan] > limit:
            faults.append(f"{number}: person {entry.fan} has {counts[entry.fan]} seats")
    return faults


def claims(facts: Iterable[dict[str, Any]]) -> list[Claim]:
    """From what buyers noted, in any order across buyers."""
    mine: dict[str, Any] = {}
    ends: dict[str, float] = {}
    paying: set[str] = set()
    for fact in facts:
        match fact["what"]:
            case "mine":
                mine[fact["code"]] = fact
            case "ending":
                ends[fact["code"]] = fact["at"]
            case "paying":
                paying.add(fact["code"])
    found = []
    for code, fact in mine.items():
        lapses = NEVER if code in paying else fact["until"]
        end = min(ends.get(code, NEVER), lapses)
        found += [Claim(seat, code, fact["at"], end) for seat in fact["seats"]]
    return found


def faults_of_claims(found: Iterable[Claim]) -> list[str]:
    """Every seat that two buyers were told to have at the same time."""
    by_seat: dict[int, list[Claim]] = defaultdict(list)
    for claim in found:
        by_seat[claim.seat].append(claim)
    faults = []
    for seat, its in by_seat.items():
        its.sort(key=lambda claim: claim.start)
        reach = its[0]
        for claim in its[1:]:
            if claim.start < reach.end:
                faults.append(f"seat {seat}: {reach.code} and {claim.code}")
            reach = max(reach, claim, key=lambda each: each.end)
    return faults

"""Judges a rehearsal by its evidence alone: no database, no Redis, no site.

One module for each promise, named after it; each has a function `check`.
"""

from ticketing.rehearsal.simulator.history import Evidence
from ticketing.rehearsal.simulator.judge import (
    books,
    cap,
    ends,
    failures,
    left_behind,
    lobby,
    maps,
    one_owner,
    order,
    paused,
    per_person,
    places,
    positions,
    rate,
    tricks,
)
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.load_limits import (
    LoadLimit,
    LoadLimits,
    Targets,
    load_limits,
)
from ticketing.rehearsal.simulator.judge.verdict import Sentence, Verdict

PROMISES = (
    *(one_owner, books, per_person, maps, cap, rate, paused, order),
    *(lobby, places, positions, ends, tricks, failures, left_behind),
)


def verdicts(evidence: Evidence) -> list[Verdict]:
    """A verdict for every promise, with the number of observations it is based on."""
    indexed = IndexedEvidence(evidence)
    return [promise.check(indexed) for promise in PROMISES]

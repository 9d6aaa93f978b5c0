"""Judges a rehearsal by its evidence alone: no database, no Redis, no site.

One module for each promise, named after it; each has a function `check`.
"""

from ticketing.rehearsal.simulator.history import Evidence
from ticketing.rehearsal.simulator.judge import (
    books,
    cap,
    ends,
    entered,
    failures,
    lanes,
    leaked,
    left_behind,
    linearizable,
    lobby,
    maps,
    money,
    numbers,
    one_owner,
    order,
    paused,
    per_person,
    places,
    positions,
    rate,
    settled,
    stock,
    together,
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
    *(one_owner, linearizable, books, money, per_person, maps, cap, stock, rate, entered, paused),
    *(order, lanes, lobby, numbers, together, places, positions, ends, tricks, settled, leaked),
    *(failures, left_behind),
)
# The title of each promise, in the reader's language, by the name in stored verdicts.
TITLES = {promise.__name__.rpartition(".")[2]: promise.TITLE for promise in PROMISES}


def verdicts(evidence: Evidence) -> list[Verdict]:
    """A verdict for every promise, with the number of observations it is based on."""
    indexed = IndexedEvidence(evidence)
    return [promise.check(indexed) for promise in PROMISES]

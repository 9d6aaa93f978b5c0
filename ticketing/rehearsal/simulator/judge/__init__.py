"""Judging a rehearsal by its evidence alone: no database, no Redis, no site."""

from collections.abc import Callable

from ticketing.rehearsal.simulator.history import Evidence
from ticketing.rehearsal.simulator.judge import (
    doors,
    lobby,
    maps,
    money,
    people,
    places,
    positions,
    seats,
    turns,
)
from ticketing.rehearsal.simulator.judge.capacity import Limit, Limits, Targets, limits
from ticketing.rehearsal.simulator.judge.reading import Reading
from ticketing.rehearsal.simulator.judge.verdict import Said, Verdict

INVARIANTS: tuple[Callable[[Reading], Verdict], ...] = (
    seats.one_owner,
    money.books,
    seats.per_person,
    maps.maps,
    turns.cap,
    turns.rate,
    turns.paused,
    turns.order,
    lobby.lobby,
    places.places,
    positions.positions,
    people.ends,
    doors.tricks,
    doors.failures,
    people.left_behind,
)


def verdicts(evidence: Evidence) -> list[Verdict]:
    """Everything that must hold, each with how much was looked at."""
    reading = Reading(evidence)
    return [invariant(reading) for invariant in INVARIANTS]

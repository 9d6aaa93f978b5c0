"""Parties: called together, one number, one limit; and the other promises with parties in line."""

from dataclasses import replace

import pytest

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import TEN, a_line, failing, only
from ticketing.rehearsal.simulator.history import Evidence, JournalEntry, Record
from ticketing.rehearsal.simulator.judge import verdicts

ANN, BEN, EVE, FAY = 1, 2, 8, 9


def entry(at: float, person: int, kind: str, number: int, leader: int | None = None):
    return JournalEntry(TEN + at, person, kind, number, leader)


WAITING = [
    entry(0, ANN, "join", 1),
    entry(0, BEN, "join", 2),
    entry(1, EVE, "companion", 1, ANN),
    entry(1, FAY, "companion", 1, ANN),
]
CALLED = [entry(2, who, "ready", 1, ANN) for who in (ANN, EVE, FAY)]
OVER = [entry(9, who, "closed", 1) for who in (ANN, EVE, FAY)]


def journal(*entries: JournalEntry, **knobs: float) -> Evidence:
    evidence = replace(a_line([], **knobs), journal=list(entries))
    people = {str(who): who for who in (ANN, BEN, EVE, FAY)}
    return replace(evidence, setting=evidence.setting | {"people": people, "limit_per_person": 4})


def told(user: int, at: float, number: int, position: int) -> Record:
    data = {"state": "WAITING", "number": number, "position": position}
    return Record(user, "poll", TEN + at, TEN + at, data=data)


def of(evidence: Evidence, name: str):
    return next(one for one in verdicts(evidence) if one.name == name)


def test_a_party_that_is_called_together_keeps_the_promise():
    verdict = of(journal(*WAITING, *CALLED, entry(3, BEN, "ready", 2), *OVER), "together")

    assert (verdict.holds, verdict.checked) == (True, 4)


def test_a_companion_who_is_left_behind():
    spoilt = journal(*WAITING, *CALLED[:2], *OVER)

    assert "#1 (no. 1) was called, and #9 of the same party was not" in only(spoilt, "together")


def test_a_companion_who_is_called_later():
    spoilt = journal(*WAITING, *CALLED[:2], entry(3, FAY, "ready", 1, ANN), *OVER)

    counterexamples = str(of(spoilt, "together").counterexample)
    assert "#9" in counterexamples


def test_a_companion_who_is_called_alone():
    spoilt = journal(*WAITING, CALLED[1], *OVER)

    assert "#8 was called without the leader" in only(spoilt, "together")


def test_those_who_were_away_or_left_are_not_missed():
    gone = [entry(2, EVE, "expired", 1), entry(1.5, FAY, "left", 1)]

    assert of(journal(*WAITING, *gone, CALLED[0], *OVER[:1]), "together").holds


def test_the_place_goes_to_the_first_companion():
    handed_over = [
        entry(2, EVE, "lead", 1),
        entry(2, FAY, "companion", 1, EVE),
        entry(2, ANN, "left", 1),
        *(entry(3, who, "ready", 1, EVE) for who in (EVE, FAY)),
    ]

    assert of(journal(*WAITING, *handed_over), "together").checked == 2
    assert of(journal(*WAITING, *handed_over), "together").holds
    assert not of(journal(*WAITING, *handed_over[:-1]), "together").holds


def test_more_seats_than_one_person_may_have():
    evidence = journal(*WAITING, *CALLED, *OVER)
    sold = [(seat, who) for seat, who in enumerate([ANN, ANN, ANN, EVE, EVE])]
    spoilt = replace(evidence, facts=evidence.facts | {"sold": sold})

    assert "has 5 seats, and the limit is 4" in str(of(spoilt, "together").counterexample)


@pytest.mark.parametrize("name", ["order", "rate", "numbers", "places", "positions"])
def test_the_other_promises_know_of_parties(name):
    """One number and one permit for three people, the same position for all of them."""
    evidence = journal(
        *WAITING, *CALLED, entry(2, BEN, "ready", 2), *OVER, admit_per_second=2, absence_seconds=60
    )
    told_them = [told(ANN, 1.5, 1, 1), told(EVE, 1.5, 1, 1), told(BEN, 1.5, 2, 2)]
    evidence = replace(evidence, records=[*evidence.records, *told_them])

    assert of(evidence, name).holds is not False, of(evidence, name).counterexample


def test_control_the_same_number_without_a_party_is_found():
    evidence = journal(entry(0, ANN, "join", 1))
    twice = replace(evidence, records=[told(ANN, 1, 1, 1), told(BEN, 1, 1, 1)])

    assert "numbers" in failing(twice)


def test_positions_behind_a_party_that_hands_its_place_over():
    evidence = journal(
        *WAITING,
        entry(2, EVE, "lead", 1),
        entry(2, FAY, "companion", 1, EVE),
        entry(2, ANN, "left", 1),
    )
    truth = replace(evidence, records=[told(BEN, 8, 2, 2), told(FAY, 8, 1, 1)])
    lie = replace(evidence, records=[told(BEN, 8, 2, 1)])

    assert of(truth, "positions").holds
    assert of(lie, "positions").holds is False


def test_a_party_of_the_lobby_has_the_number_that_its_leader_drew():
    evidence = journal(
        entry(0, ANN, "lobby", 0), entry(1, EVE, "companion", 0, ANN), entry(2, ANN, "join", 1)
    )
    evidence = replace(evidence, records=[told(EVE, 8, 1, 1), told(ANN, 8, 1, 1)])

    found = {name: of(evidence, name).holds for name in ("numbers", "places", "positions")}
    assert False not in found.values()

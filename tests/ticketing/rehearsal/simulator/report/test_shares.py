"""What bots got beside people."""

from ticketing.rehearsal.simulator.history import Evidence, JournalEntry, Record
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.report.shares import shares_of


def arrived(user: int, persona: str) -> Record:
    return Record(user, "arrive", 0, 0, 200, "", {"person": 100 + user, "persona": persona})


def test_a_report_without_bots_says_nothing_of_them():
    evidence = Evidence(
        records=[arrived(1, "patient")], setting={}, facts={}, journal=[], left_behind={}
    )

    assert shares_of(IndexedEvidence(evidence)) == {}


def test_shares_are_what_a_bot_got_of_what_a_person_got():
    records = [arrived(1, "patient"), arrived(2, "tunnel"), arrived(3, "bot that hoards")]
    records.append(Record(3, "challenge", 1.0, 1.5, 200, "", {"level": 1}))
    called = [JournalEntry(at, 100 + user, "ready", user) for at, user in enumerate((1, 2, 3))]
    facts = {"sold": [[1, 101], [2, 101], [3, 102], [4, 102], [5, 103], [6, None]]}
    evidence = Evidence(records=records, setting={}, facts=facts, journal=called, left_behind={})

    found = shares_of(IndexedEvidence(evidence))

    assert (found["places_percent"], found["seats_percent"]) == (100.0, 50.0)
    assert found["bots"]["challenges"] == 1
    assert found["bots"]["challenge_seconds_longest"] == 0.5
    assert found["people"]["seats"] == 4

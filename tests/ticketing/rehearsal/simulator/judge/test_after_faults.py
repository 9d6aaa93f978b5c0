"""The promises `numbers`, `settled` and `leaked`, and places that are gone, each broken."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import (
    TEN,
    a_line,
    failing,
    first,
    with_record,
    with_records,
    with_setting,
)
from tests.ticketing.rehearsal.simulator.judge.in_memory_site import iso
from ticketing.rehearsal.simulator.history import RUNNER, Evidence, JournalEntry, Record
from ticketing.rehearsal.simulator.terminal import soak_table
from ticketing.rehearsal.simulator.terminal.text import plain


def sample(at: float, **ages: float) -> Record:
    return Record(RUNNER, "sample", TEN + at, TEN + at, data=dict(ages))


def fault(began: float, ended: float) -> Record:
    return Record(RUNNER, "fault", TEN + began, TEN + ended, data={"fault": "valkey"})


# -- numbers --------------------------------------------------------------------------------------


def test_a_number_that_two_people_were_told(sale):
    one, other = (
        first(sale.records, "claim", lambda record: record.done),
        first(sale.records, "join", lambda record: record.done and record.data.get("number")),
    )
    assert one.user != other.user
    number = one.data["number"]
    tampered = with_record(sale, other, data=other.data | {"number": number})

    found = str(failing(tampered)["numbers"].counterexample)

    assert f"no. {number} was given to" in found
    assert f"#{one.user}" in found
    assert f"#{other.user}" in found


def test_a_number_that_the_journal_gave_twice():
    twice = a_line([(1, "join", 1), (2, "join", 2)])
    journal = [*twice.journal, JournalEntry(TEN + 3, 107, "join", 2)]

    assert failing(replace(twice, journal=journal)).keys() >= {"numbers"}
    assert "numbers" not in failing(twice)


# -- places ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("leaves", [False, True])
def test_somebody_who_is_in_no_line_any_more(sale, leaves):
    claim = first(sale.records, "claim", lambda record: record.done)
    at = max(record.ended for record in sale.records if record.user == claim.user)
    gone = Record(claim.user, "poll", at + 1, at + 1, data={"state": "NONE"})
    numbered = replace(claim, began=at, ended=at)
    left = Record(claim.user, "leave", at + 0.5, at + 0.6)
    tampered = with_records(sale, numbered, gone, *([left] if leaves else []))

    found = failing(tampered)

    assert ("places" in found) == (not leaves)
    if not leaves:
        assert f"had no. {claim.data['number']}, and is in no line" in str(
            found["places"].counterexample
        )


# -- admissions ------------------------------------------------------------------------------------


@pytest.mark.parametrize("is_lost", [True, False])
def test_an_admission_of_the_second_that_was_lost(sale, is_lost):
    """Without such a fault nobody holds seats whom the journal did not let in."""
    bought = {record.user for record in sale.records if record.data.get("state") == "bought"}
    claim = first(sale.records, "claim", lambda one: one.done and one.user in bought)
    person = first(sale.records, "arrive", lambda one: one.user == claim.user).data["person"]
    journal = [one for one in sale.journal if (one.person, one.kind) != (person, "admit")]
    at = claim.ended - TEN + (0.5 if is_lost else 60)
    tampered = replace(with_records(sale, fault(at, at + 0.1)), journal=journal)

    assert (failing(tampered).keys() >= {"ends", "tricks"}) == (not is_lost)


# -- what stays stuck -----------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("promise", "age", "allowed"),
    [("settled", "oldest_charge_seconds", 15.0), ("leaked", "oldest_leak_seconds", 10.0)],
)
def test_what_is_stuck_long_after_the_last_fault(promise: str, age: str, allowed: float):
    def judged(*records: Record) -> Any:
        return failing(a_line([], *records)).get(promise)

    over: Any = {age: allowed + 1}
    assert judged(sample(50, **{age: allowed - 1})) is None
    assert f"{allowed + 1:.1f} s" in str(judged(sample(50, **over)).counterexample)
    assert judged(fault(30, 45), sample(50, **over)) is None
    assert judged(fault(10, 20), sample(50, **over)).found == 1


@pytest.mark.parametrize("nobody_at", [45, 30])
def test_a_place_is_not_leaked_before_it_was_seen(nobody_at: int):
    """Who paid 11 s ago has bought a moment ago, if the gateway took so long."""
    nobody, leak = (
        sample(nobody_at, oldest_leak_seconds=0.0),
        sample(50, oldest_leak_seconds=11.0),
    )

    assert ("leaked" in failing(a_line([], nobody, leak))) == (nobody_at == 30)


def test_what_a_snapshot_does_not_know_is_not_judged(sale):
    def unknown(record: Record) -> Record:
        ages = ("oldest_charge_seconds", "oldest_leak_seconds")
        data = {name: value for name, value in record.data.items() if name not in ages}
        return replace(record, data=data)

    old = replace(sale, records=[unknown(record) for record in sale.records])

    assert failing(old) == {}


# -- the table ------------------------------------------------------------------------------------


def table(evidence: Evidence) -> list[list[str]]:
    from ticketing.rehearsal.simulator.judge import verdicts

    lines = soak_table.lines(verdicts(evidence), evidence.records, plain)
    return [line.split() for line in lines]


def sold_twice(sale: Evidence) -> Evidence:
    """Somebody else is told that they hold what was bought before."""
    sold = {one["code"] for one in sale.facts["reservations"] if one["state"] == "confirmed"}
    hold = first(sale.records, "hold", lambda one: one.data.get("reservation") in sold)
    at = hold.ended + 40
    times = {"deadline": iso(at + 5), "server_time": iso(at)}
    again = replace(hold, user=998, began=at - 0.05, ended=at, data=hold.data | times)
    again.data["reservation"] = "X1"
    return with_setting(with_records(sale, again), people=sale.setting["people"] | {"998": 9_998})


def given_twice(sale: Evidence) -> Evidence:
    last = sale.journal[-1]
    number = next(entry.number for entry in sale.journal if entry.kind == "ready")
    return replace(sale, journal=[*sale.journal, JournalEntry(last.at, 9_999, "join", number)])


def place_lost(sale: Evidence) -> Evidence:
    claim = first(sale.records, "claim", lambda record: record.done)
    return with_record(sale, claim, data=claim.data | {"number": 4_711})


def stuck(name: str) -> Callable[[Evidence], Evidence]:
    def alter(sale: Evidence) -> Evidence:
        at = max(record.ended for record in sale.records) + 100
        return with_records(sale, Record(RUNNER, "sample", at, at, data={name: 60.0}))

    return alter


def test_the_table_counts_rounds_people_and_violations(sale: Evidence):
    rows = table(sale)

    assert rows[0] == ["rounds", "of", "faults", "2"]
    assert [row[-1] for row in rows[4:]] == ["0"] * 5


@pytest.mark.parametrize(
    ("row", "mistake"),
    [
        ("double sales", sold_twice),
        ("numbers given twice", given_twice),
        ("places lost after they were given", place_lost),
        ("payments unsettled 15 s after a fault", stuck("oldest_charge_seconds")),
        ("places leaked 10 s after a fault", stuck("oldest_leak_seconds")),
    ],
)
def test_each_row_of_the_table_finds_its_mistake(sale: Evidence, row: str, mistake: Any):
    counts = {" ".join(words[:-1]): words[-1] for words in table(mistake(sale))}

    assert counts[row] not in ("0", "")

"""Alters correct evidence in one place, to see which promise fails."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ticketing.rehearsal.simulator.history import RUNNER, Evidence, JournalEntry, Record
from ticketing.rehearsal.simulator.judge import Verdict, verdicts

TEN = 1_900_000_000.0


def failing(evidence: Evidence) -> dict[str, Verdict]:
    return {one.name: one for one in verdicts(evidence) if one.holds is False}


def only(evidence: Evidence, name: str, *also: str) -> str:
    """The counterexample of the promise that fails, alone or with those that imply it."""
    failed = failing(evidence)
    assert set(failed) == {name, *also}, {one: str(it.counterexample) for one, it in failed.items()}
    return str(failed[name].counterexample)


def first(
    records: Iterable[Record], action: str, such: Callable[[Record], bool] = lambda _: True
) -> Record:
    return next(record for record in records if record.action == action and such(record))


def with_records(evidence: Evidence, *added: Record) -> Evidence:
    return replace(
        evidence, records=sorted([*evidence.records, *added], key=lambda record: record.ended)
    )


def without(evidence: Evidence, goes: Callable[[Record], bool]) -> Evidence:
    return replace(evidence, records=[record for record in evidence.records if not goes(record)])


def with_record(evidence: Evidence, old: Record, **changes: Any) -> Evidence:
    new = replace(old, **changes)
    return replace(
        evidence, records=[new if record is old else record for record in evidence.records]
    )


def with_setting(evidence: Evidence, **changes: Any) -> Evidence:
    return replace(evidence, setting=evidence.setting | changes)


def with_knob(evidence: Evidence, name: str, value: float) -> Evidence:
    """As if it had been so all the time."""
    changed = with_setting(evidence, knobs=evidence.setting["knobs"] | {name: value})
    records = [
        replace(record, data=record.data | {name: value}) if name in record.data else record
        for record in changed.records
    ]
    return replace(changed, records=records)


def with_facts(evidence: Evidence, change: Callable[[dict[str, Any]], None]) -> Evidence:
    facts = deepcopy(evidence.facts)
    change(facts)
    return replace(evidence, facts=facts)


def who_of(evidence: Evidence, person: int) -> int:
    return next(int(who) for who, one in evidence.setting["people"].items() if one == person)


def a_line(entries: Iterable[tuple[float, str, int]], *records: Record, **knobs: float) -> Evidence:
    """Only a journal: (second, kind, number), everybody's person being 100 + number."""
    journal = [JournalEntry(TEN + at, 100 + number, kind, number) for at, kind, number in entries]
    samples = [
        Record(RUNNER, "sample", TEN + at, TEN + at, data={"tick_age_seconds": 0.5})
        for at in range(60)
    ]
    usual = {"max_inside": 1_000, "admit_per_second": 4, "claim_seconds": 60, "pass_seconds": 60}
    setting = {"began": TEN, "knobs": usual | knobs}
    return Evidence(setting, [*samples, *records], journal, {}, {})

"""Spoiling honest evidence in one place, to see who notices."""

from collections.abc import Callable, Iterable
from copy import deepcopy
from dataclasses import replace
from typing import Any

from ticketing.rehearsal.simulator.history import STAGE, Deed, Entry, Evidence
from ticketing.rehearsal.simulator.judge import Verdict, verdicts

TEN = 1_900_000_000.0


def failing(evidence: Evidence) -> dict[str, Verdict]:
    return {one.name: one for one in verdicts(evidence) if one.holds is False}


def only(evidence: Evidence, name: str) -> str:
    """What the one check that fails has to say."""
    failed = failing(evidence)
    assert set(failed) == {name}, {one: str(it.counterexample) for one, it in failed.items()}
    return str(failed[name].counterexample)


def first(deeds: Iterable[Deed], did: str, such: Callable[[Deed], bool] = lambda _: True) -> Deed:
    return next(deed for deed in deeds if deed.did == did and such(deed))


def with_deeds(evidence: Evidence, *added: Deed) -> Evidence:
    return replace(evidence, deeds=sorted([*evidence.deeds, *added], key=lambda deed: deed.ended))


def without(evidence: Evidence, goes: Callable[[Deed], bool]) -> Evidence:
    return replace(evidence, deeds=[deed for deed in evidence.deeds if not goes(deed)])


def with_deed(evidence: Evidence, old: Deed, **changes: Any) -> Evidence:
    new = replace(old, **changes)
    return replace(evidence, deeds=[new if deed is old else deed for deed in evidence.deeds])


def with_setting(evidence: Evidence, **changes: Any) -> Evidence:
    return replace(evidence, setting=evidence.setting | changes)


def with_knob(evidence: Evidence, name: str, value: float) -> Evidence:
    """As if it had been so all the time."""
    changed = with_setting(evidence, knobs=evidence.setting["knobs"] | {name: value})
    deeds = [
        replace(deed, saw=deed.saw | {name: value}) if name in deed.saw else deed
        for deed in changed.deeds
    ]
    return replace(changed, deeds=deeds)


def with_facts(evidence: Evidence, change: Callable[[dict[str, Any]], None]) -> Evidence:
    facts = deepcopy(evidence.facts)
    change(facts)
    return replace(evidence, facts=facts)


def who_of(evidence: Evidence, person: int) -> int:
    return next(int(who) for who, one in evidence.setting["people"].items() if one == person)


def a_line(entries: Iterable[tuple[float, str, int]], *deeds: Deed, **knobs: float) -> Evidence:
    """Only a journal: (second, kind, number), everybody's person being 100 + number."""
    journal = [Entry(TEN + at, 100 + number, kind, number) for at, kind, number in entries]
    samples = [
        Deed(STAGE, "sample", TEN + at, TEN + at, saw={"tick_age_seconds": 0.5}) for at in range(60)
    ]
    usual = {"max_inside": 1_000, "admit_per_second": 4, "claim_seconds": 60, "pass_seconds": 60}
    setting = {"began": TEN, "knobs": usual | knobs}
    return Evidence(setting, [*samples, *deeds], journal, {}, {})

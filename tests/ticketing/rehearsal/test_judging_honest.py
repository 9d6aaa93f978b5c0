"""Honest evidence is never accused, and silence proves nothing."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ticketing.rehearsal.making import honest
from tests.ticketing.rehearsal.planting import failing
from ticketing.rehearsal.simulator.history import Deed, Evidence, Folder
from ticketing.rehearsal.simulator.judge import INVARIANTS, verdicts


def test_everything_holds_in_an_honest_sale_and_everything_was_looked_at(sale):
    found = verdicts(sale)

    assert {one.name for one in found if not one.holds} == set()
    assert len(found) == len(INVARIANTS) == len({one.name for one in found})
    assert all(one.checked > 0 for one in found)


def test_an_honest_sale_has_what_could_be_misread(sale):
    unanswered = {deed.did for deed in sale.deeds if deed.status == 0}
    ends = {deed.saw["state"] for deed in sale.deeds if deed.did == "end"}

    assert {"look", "hold"} <= unanswered
    assert {"bought", "gave_back", "declined", "expired", "left", "gave_up"} <= ends
    assert {deed.saw["fault"] for deed in sale.deeds if deed.did == "fault"} == {"web", "clock"}


@settings(max_examples=40, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    fans=st.integers(1, 45),
    seats=st.sampled_from([8, 30, 120]),
    lost=st.sampled_from([0.0, 0.05, 0.3]),
    faults=st.booleans(),
    clock_fault=st.booleans(),
    offset=st.floats(-30, 30),
)
def test_no_honest_sale_is_accused(**wishes):
    evidence = honest(**wishes)

    assert {name: str(one.counterexample) for name, one in failing(evidence).items()} == {}


def test_where_nothing_was_observed_nothing_is_claimed():
    empty = Evidence({"knobs": {}}, [], [], {}, {})

    assert [one.holds for one in verdicts(empty)] == [None] * len(INVARIANTS)


def test_evidence_from_a_folder_is_judged_alike(sale, tmp_path):
    folder = Folder(tmp_path)
    record = folder.recorder()
    for deed in sale.deeds:
        record(deed)
    record.close()
    for name in ("setting", "facts", "left_behind"):
        folder.keep(name, getattr(sale, name))
    folder.keep("journal", [vars(entry) for entry in sale.journal])

    assert verdicts(folder.evidence()) == verdicts(sale)
    assert isinstance(folder.evidence().deeds[0], Deed)
    assert json.loads((tmp_path / "facts.json").read_text())["settled"]

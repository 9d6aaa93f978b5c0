"""Honest evidence is never accused, and silence proves nothing."""

import json

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import failing
from tests.ticketing.rehearsal.simulator.judge.honest_sale import honest
from ticketing.rehearsal.simulator.history import Evidence, Folder, Record
from ticketing.rehearsal.simulator.judge import PROMISES, verdicts


def test_everything_holds_in_an_honest_sale_and_everything_was_looked_at(sale):
    found = verdicts(sale)

    assert {one.name for one in found if not one.holds} == set()
    assert len(found) == len(PROMISES) == len({one.name for one in found})
    assert all(one.checked > 0 for one in found)


def test_an_honest_sale_has_what_could_be_misread(sale):
    unanswered = {record.action for record in sale.records if record.status == 0}
    ends = {record.data["state"] for record in sale.records if record.action == "end"}

    assert {"poll", "hold"} <= unanswered
    assert {"bought", "gave_back", "declined", "expired", "left", "gave_up"} <= ends
    assert {record.data["fault"] for record in sale.records if record.action == "fault"} == {
        "web",
        "clock",
    }


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
def test_no_honest_sale_is_accused(**options):
    evidence = honest(**options)

    assert {name: str(one.counterexample) for name, one in failing(evidence).items()} == {}


def test_where_nothing_was_observed_nothing_is_claimed():
    empty = Evidence({"knobs": {}}, [], [], {}, {})

    assert [one.holds for one in verdicts(empty)] == [None] * len(PROMISES)


def test_evidence_from_a_folder_is_judged_alike(sale, tmp_path):
    folder = Folder(tmp_path)
    recorder = folder.recorder()
    for record in sale.records:
        recorder(record)
    recorder.close()
    for name in ("setting", "facts", "left_behind"):
        folder.save(name, getattr(sale, name))
    folder.save("journal", [vars(entry) for entry in sale.journal])

    assert verdicts(folder.evidence()) == verdicts(sale)
    assert isinstance(folder.evidence().records[0], Record)
    assert json.loads((tmp_path / "facts.json").read_text())["settled"]

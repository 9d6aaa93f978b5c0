"""The seat map: what people are shown as free is free, or was a moment ago."""

from dataclasses import replace

import pytest

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import only, with_records, without
from ticketing.rehearsal.simulator.history import RUNNER, Record
from ticketing.rehearsal.simulator.judge import verdicts
from ticketing.rehearsal.simulator.judge.evidence_index import IndexedEvidence
from ticketing.rehearsal.simulator.judge.maps import LATE_SECONDS
from ticketing.rehearsal.simulator.judge.ownership import SeatOwnership


@pytest.fixture
def bought(calm_sale):
    return max(
        SeatOwnership(IndexedEvidence(calm_sale)).all, key=lambda claim: claim.end - claim.start
    )


def shown(bought, after):
    at, asked = bought.start + after, [bought.seat]
    return Record(59, "hold", at, at + 0.1, 409, "seat_taken", {"asked": asked, "map": "live"})


def verdict(evidence):
    return next(one for one in verdicts(evidence) if one.name == "maps")


def test_a_seat_that_is_shown_as_free_long_after_it_was_bought(calm_sale, bought):
    counterexample = only(with_records(calm_sale, shown(bought, LATE_SECONDS + 2)), "maps")

    assert f"#59 was shown seat {bought.seat} as free" in counterexample
    assert f"({bought.code}) for 12.0 s" in counterexample


def test_a_push_may_take_a_moment(calm_sale, bought):
    assert verdict(with_records(calm_sale, shown(bought, LATE_SECONDS - 1))).holds


def test_a_choice_may_wait_until_it_is_sent(calm_sale, bought):
    late = shown(bought, 20)
    in_time = replace(late, data=late.data | {"chosen": bought.start + LATE_SECONDS - 1})

    assert verdict(with_records(calm_sale, in_time)).holds


def test_after_a_fault_nobody_was_told(calm_sale, bought):
    at = bought.start + 5
    fault = Record(RUNNER, "fault", at, at + 1, data={"fault": "valkey"})

    assert verdict(with_records(calm_sale, shown(bought, 20), fault)).holds


def test_a_list_that_was_fetched_may_be_old(calm_sale, bought):
    record = shown(bought, 20)
    listed = replace(record, data={"asked": record.data["asked"]})

    assert verdict(with_records(calm_sale, listed)).holds


def test_without_maps_it_is_not_rehearsed(calm_sale):
    assert verdict(without(calm_sale, lambda record: record.action == "hold")).holds is None


@pytest.mark.parametrize(("channel", "counts"), [("socket", True), ("seats", False)])
def test_a_seat_map_that_closes_is_no_way_out_of_the_line(calm_sale, channel, counts):
    looks = [
        record
        for record in calm_sale.records
        if record.action == "poll" and record.data.get("number")
    ]
    at = looks[-1].ended - 1e-6
    lost = with_records(
        calm_sale, Record(looks[-1].user, "disconnect", at, at, data={"channel": channel})
    )

    checked = [reconnections(evidence) for evidence in (calm_sale, lost)]

    assert checked[1] - checked[0] == counts


def reconnections(evidence):
    return next(one.checked for one in verdicts(evidence) if one.name == "places")

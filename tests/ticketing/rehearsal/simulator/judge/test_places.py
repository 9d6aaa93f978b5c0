"""The promises `places` and `positions`, each broken in its own ways."""

from collections import defaultdict
from dataclasses import replace
from itertools import pairwise

import pytest

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import (
    TEN,
    a_line,
    failing,
    first,
    only,
    with_knob,
    with_record,
    with_records,
    with_setting,
    without,
)
from tests.ticketing.rehearsal.simulator.judge.honest_sale import honest
from tests.ticketing.rehearsal.simulator.judge.in_memory_site import iso
from ticketing.rehearsal.simulator.history import RUNNER, JournalEntry, Record

LONG_AFTER_THE_DRAW = 20


def who_ended(sale, kind, such=lambda _: True):
    entry = next(one for one in sale.journal if one.kind == kind and such(one))
    return entry.person - 5_000, entry


def in_line_only(sale):
    admitted = {one.person for one in sale.journal if one.kind in {"ready", "admit"}}
    return lambda entry: entry.person not in admitted and entry.number > 0


# -- nobody loses their place ---------------------------------------------------------------------


def test_somebody_who_came_back_with_another_number(sale):
    claim = first(sale.records, "claim", lambda record: record.done)
    tampered = with_record(sale, claim, data=claim.data | {"number": 4_711})

    assert f"#{claim.user} was told no. 4711" in only(tampered, "places")


def test_somebody_who_got_a_new_number_without_having_left(calm_sale):
    """Given by the journal, but the first one never ended."""
    person, end = 5_059, calm_sale.journal[-1].at + 5
    claim = first(calm_sale.records, "claim", lambda record: record.done)
    again = [JournalEntry(end, person, "join", 4_711), JournalEntry(end, person, "closed", 4_711)]
    kept = [
        one for one in calm_sale.journal if one.person != person or one.kind in {"lobby", "join"}
    ]
    number = next(one.number for one in kept if one.person == person and one.kind == "join")
    shown = [
        replace(claim, user=59, began=end + at, ended=end + at, data=claim.data | {"number": which})
        for at, which in ((1, number), (2, 4_711))
    ]

    tampered = replace(with_records(calm_sale, *shown), journal=[*kept, *again])

    found = str(failing(tampered)["places"].counterexample)
    assert f"#59 came back with no. 4711; it was no. {number} before" in found


@pytest.mark.parametrize(
    ("lost_at", "later", "is_broken"),
    [
        (11, None, False),
        (11, {"state": "NONE"}, True),
        (11, {"state": "WAITING", "number": 3}, True),
        (11, {"state": "WAITING", "number": 1}, False),
        (19, None, True),
    ],
)
def test_a_number_that_was_lost_with_the_last_second_of_redis(lost_at, later, is_broken):
    """The page stayed open, so its answer to joining and one to the socket say the number."""
    told = {"state": "WAITING", "number": 2}
    records = [
        Record(2, "join", TEN + 10, TEN + 10.1, data=told),
        Record(2, "connect", TEN + 10.2, TEN + 10.3, data={"tab": 0}),
        Record(2, "push", TEN + 10.4, TEN + 10.4, data=told),
        Record(RUNNER, "fault", TEN + lost_at, TEN + lost_at + 1, data={"fault": "power"}),
        Record(2, "disconnect", TEN + 30, TEN + 30, data={"tab": 0}),
    ]
    if later is not None:
        records.append(Record(2, "poll", TEN + 16, TEN + 16.1, data=later))
    line = a_line([(1, "join", 1)], *sorted(records, key=lambda record: record.ended))

    assert ("places" in failing(with_setting(line, people={"2": 102}))) == is_broken


@pytest.mark.parametrize(("action", "is_broken"), [("leave", False), ("disconnect", True)])
def test_who_has_left_may_come_back_with_another_number(action, is_broken):
    """The whole first stay, with its end, was lost with Redis."""
    records = [
        Record(2, "join", TEN + 10, TEN + 10.1, data={"state": "WAITING", "number": 2}),
        Record(2, action, TEN + 10.2, TEN + 10.3, data={"tab": 0}),
        Record(2, "join", TEN + 10.4, TEN + 10.5, data={"state": "WAITING", "number": 3}),
        Record(RUNNER, "fault", TEN + 11, TEN + 12, data={"fault": "redis emptied"}),
    ]
    line = with_setting(a_line([(1, "join", 1)], *records), people={"2": 102})
    line = replace(line, journal=[*line.journal, JournalEntry(TEN + 10.4, 102, "join", 3)])

    assert ("places" in failing(line)) == is_broken


@pytest.mark.parametrize(("kind", "is_broken"), [("demoted", False), ("join", True)])
def test_a_move_to_the_end_that_was_lost_may_be_made_again(kind, is_broken):
    told = [(1, "join", 1), (10, "push", 2), (16, "push", 5)]
    records = [
        Record(1, action, TEN + at, TEN + at, data={"state": "WAITING", "number": number})
        for at, action, number in told
    ]
    fault = Record(RUNNER, "fault", TEN + 11, TEN + 12, data={"fault": "power"})
    line = with_setting(a_line([(1, "join", 1)], *records, fault), people={"1": 101})
    line = replace(line, journal=[*line.journal, JournalEntry(TEN + 15, 101, kind, 5)])

    assert ("places" in failing(line)) == is_broken


def test_somebody_who_was_taken_out_as_having_left(sale):
    who, entry = who_ended(sale, "left", in_line_only(sale))
    tampered = without(sale, lambda record: record.user == who and record.action == "leave")

    counterexample = only(tampered, "places")

    assert f"#{who} (no. {entry.number}) was taken out as having left" in counterexample


@pytest.fixture(scope="module")
def with_absent():
    """A calm sale in which somebody slept too long in line."""
    for seed in range(50):
        sale = honest(seed=seed, faults=False, lost=0.0)
        if any(one.kind == "expired" and in_line_only(sale)(one) for one in sale.journal):
            return sale
    raise AssertionError


def test_somebody_who_lost_their_place_although_they_asked(with_absent):
    who, entry = who_ended(with_absent, "expired", in_line_only(with_absent))
    poll = Record(who, "poll", entry.at - 5, entry.at - 4.9, data={"state": "WAITING"})

    counterexample = only(with_records(with_absent, poll), "places")

    assert f"#{who} (no. {entry.number}) lost their place as absent" in counterexample


def test_somebody_who_lost_their_place_with_the_page_open(with_absent):
    who, entry = who_ended(with_absent, "expired", in_line_only(with_absent))
    dropped = first(with_absent.records, "disconnect", lambda record: record.user == who)
    tampered = without(with_absent, lambda record: record is dropped)

    assert f"#{who} (no. {entry.number}) lost their place as absent" in only(tampered, "places")


@pytest.mark.parametrize("knob", ["claim_seconds", "pass_seconds"])
def test_somebody_whose_time_was_cut_short(knob):
    kind = {"claim_seconds": "ready", "pass_seconds": "admit"}[knob]
    sale = next(one for one in _calm_sales() if _ran_out_after(one, kind))

    assert "ran out" in only(with_knob(sale, knob, 45), "places")


def _calm_sales():
    return (honest(seed=seed, faults=False, lost=0.0) for seed in range(50))


def _ran_out_after(sale, kind):
    last = {}
    for entry in sale.journal:
        if entry.kind == "expired" and last.get(entry.person) == kind:
            return True
        last[entry.person] = entry.kind
    return False


# -- positions ------------------------------------------------------------------------------------


def shown(sale, action="poll", least=4):
    return first(sale.records, action, lambda record: (record.data.get("position") or 0) >= least)


@pytest.mark.parametrize("by", [-9, 9])
@pytest.mark.parametrize("action", ["poll", "push"])
def test_a_position_that_was_never_so(calm_sale, by, action):
    late = calm_sale.records[0].began + LONG_AFTER_THE_DRAW
    record = first(
        calm_sale.records,
        action,
        lambda one: one.began > late and (one.data.get("position") or 0) > 9,
    )
    tampered = with_record(
        calm_sale, record, data=record.data | {"position": record.data["position"] + by}
    )

    assert f"#{record.user} (no. {record.data['number']}) was shown position" in only(
        tampered, "positions"
    )


def test_a_position_of_somebody_who_was_no_longer_in_line(calm_sale):
    late = calm_sale.records[0].began + LONG_AFTER_THE_DRAW
    entry = next(one for one in calm_sale.journal if one.kind == "ready" and one.at > late)
    who, at = entry.person - 5_000, entry.at + 7
    data = {"state": "WAITING", "number": entry.number, "position": 1, "server_time": iso(at)}

    counterexample = only(
        with_records(calm_sale, Record(who, "poll", at, at + 0.1, data=data)), "positions"
    )

    assert f"#{who}" in counterexample


@pytest.mark.parametrize("done", [TEN + 18, TEN + 10, None])
def test_a_position_of_before_a_change_that_redis_made_late(done):
    """The tick that called no. 1 was decided at 10 s; on a busy machine it ran at 18 s."""
    data = {"state": "WAITING", "number": 3, "position": 3, "server_time": iso(TEN + 17)}
    poll = Record(3, "poll", TEN + 17, TEN + 17.1, data=data)
    line = a_line([(1, "join", 1), (2, "join", 2), (3, "join", 3), (10, "ready", 1)], poll)
    journal = [*line.journal[:-1], replace(line.journal[-1], done=done)]
    evidence = with_setting(replace(line, journal=journal), people={"3": 103})

    assert ("positions" in failing(evidence)) == (done != TEN + 18)


def told_worse(sale, *, tab=0, began=0.0):
    """A position of one tick before, told again after a better one; true within its tolerance."""
    by_user = defaultdict(list)
    for record in sale.records:
        if record.action == "push" and record.data.get("position"):
            by_user[record.user].append(record)
    before, after = next(
        (one, next_one)
        for theirs in by_user.values()
        for one, next_one in pairwise(theirs)
        if one.data["number"] == next_one.data["number"]
        and one.data["position"] > next_one.data["position"]
        and next_one.ended - one.ended < 2
    )
    ended = after.ended + 0.01
    again = {"position": before.data["position"], "ahead": before.data["position"] - 1, "tab": tab}
    return replace(after, began=ended - began, ended=ended, data=after.data | again)


def test_a_position_that_got_worse(calm_sale):
    worse = told_worse(calm_sale)

    assert "it got worse" in only(with_records(calm_sale, worse), "positions")


def test_control_another_tab_and_a_poll_that_was_under_way_may_know_less(calm_sale):
    another = told_worse(calm_sale, tab=1)
    under_way = replace(told_worse(calm_sale, began=0.5), action="poll")

    assert failing(with_records(calm_sale, another)) == {}
    assert failing(with_records(calm_sale, under_way)) == {}


def test_what_was_true_is_too_old_to_be_told(calm_sale):
    record = shown(calm_sale)
    later = replace(record, began=record.began + 9, ended=record.ended + 9)
    tampered = with_records(calm_sale, replace(later, action="poll"))

    assert f"#{record.user} was told what was so" in only(tampered, "positions")

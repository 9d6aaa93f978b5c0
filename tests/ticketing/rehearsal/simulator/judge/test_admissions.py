"""The line: cap, rate, pauses, order and the draw, each spoilt in its own ways."""

from dataclasses import replace

import pytest

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import (
    TEN,
    a_line,
    failing,
    only,
    with_facts,
    with_knob,
    with_record,
    with_setting,
)
from ticketing.rehearsal.simulator.history import RUNNER, Record
from ticketing.rehearsal.simulator.judge import verdicts


def called(evidence):
    return [entry for entry in evidence.journal if entry.kind == "ready"]


def holds(evidence, name):
    return next(one for one in verdicts(evidence) if one.name == name).holds


# -- the cap --------------------------------------------------------------------------------------


def test_one_more_inside_than_allowed(sale):
    counterexample = only(with_knob(sale, "max_inside", 9), "cap")

    assert "let in as no. 10, and at most 9" in counterexample
    assert "#" in counterexample


def test_a_snapshot_that_counts_too_many(sale):
    sample = [record for record in sale.records if record.action == "sample"][40]
    tampered = with_record(sale, sample, data=sample.data | {"inside": 40})

    assert "the snapshot counted 4" in only(tampered, "cap")


def test_a_cap_that_was_lowered_sends_nobody_home():
    joined = [(0, "ready", n) for n in range(1, 6)]
    lower = Record(RUNNER, "knobs", TEN + 2, TEN + 2, data={"max_inside": 3})

    assert holds(a_line(joined, lower, max_inside=5), "cap")
    late = a_line([*joined, (10, "ready", 6)], lower, max_inside=6)
    assert "at most 3" in only(late, "cap")


def test_who_comes_in_at_once_takes_a_place_too():
    at_once = [(0, "admit", 1), (0, "ready", 2), (1, "admit", 2), (2, "admit", 3)]

    assert holds(a_line(at_once, max_inside=3), "cap")
    assert "id 103 was let in as no. 3" in only(a_line(at_once, max_inside=2), "cap")


# -- the rate -------------------------------------------------------------------------------------


def test_a_whole_sale_that_was_too_fast(sale):
    counterexample = only(with_knob(sale, "admit_per_second", 0.5), "rate")

    assert "more were called than 0.5 a second allow" in counterexample


def steadily(seconds, rate=4):
    return [
        (second, "ready", second * rate + n + 1) for second in range(seconds) for n in range(rate)
    ]


@pytest.mark.parametrize("more", [13, 30])
def test_a_burst_in_the_middle(more):
    calls = steadily(20)
    burst = [(20.0, "ready", 81 + n) for n in range(more)]

    assert holds(a_line(calls), "rate")
    assert "called than 4 a second allow" in only(a_line([*calls, *burst]), "rate")


def test_slightly_too_fast_for_long():
    calls = [(n / 4.8, "ready", n + 1) for n in range(200)]

    assert only(a_line(calls), "rate")
    assert holds(a_line(calls, admit_per_second=4.8), "rate")


def test_permits_of_ticks_that_were_missed_may_be_used():
    silent = Record(RUNNER, "sample", TEN + 30, TEN + 30, data={"tick_age_seconds": 8.0})
    calls = [*steadily(20), *[(30.0, "ready", 81 + n) for n in range(32)]]

    assert holds(a_line(calls, silent), "rate")
    assert "no. 112" in only(a_line(calls), "rate")


def test_a_gap_between_snapshots_counts_as_missed_ticks():
    line = a_line([*steadily(10), *[(24.0, "ready", 41 + n) for n in range(60)]])
    heard = [record for record in line.records if not 10 < record.ended - TEN < 37]

    assert holds(replace(line, records=heard), "rate")
    assert only(line, "rate")


def test_a_gap_goes_on_while_the_line_is_restored_and_no_tick_is_known():
    """12 s without a tick, of which no snapshot alone shows more than 4."""
    burst = [(32.0, "ready", 81 + n) for n in range(48)]
    line = a_line([*steadily(20), *burst])
    ages = {at: float(at - 20) if at < 24 else None for at in range(20, 32)}

    def seen(record):
        age = ages.get(round(record.ended - TEN), 0.5)
        return replace(record, data=record.data | {"tick_age_seconds": age})

    restored = [seen(one) if one.action == "sample" else one for one in line.records]

    assert holds(replace(line, records=restored), "rate")
    assert only(line, "rate")


def test_a_rate_counts_from_when_it_was_set():
    faster = Record(RUNNER, "knobs", TEN + 10, TEN + 10, data={"admit_per_second": 8})
    calls = [*steadily(10), *[(10 + n / 8, "ready", 41 + n) for n in range(200)]]

    assert holds(a_line(calls, faster), "rate")
    assert only(a_line(calls), "rate")


def test_without_a_limit_there_is_no_limit():
    assert holds(a_line([(1, "ready", n) for n in range(1, 900)], admit_per_second=0), "rate")


# -- pauses ---------------------------------------------------------------------------------------


def test_somebody_called_during_a_pause(sale):
    pause = next(record for record in sale.records if record.data.get("move") == "pause")
    sooner = with_record(sale, pause, began=pause.began - 8, ended=pause.ended - 8)

    assert "was called during a pause" in only(sooner, "paused")


def test_a_pause_lasts_until_the_queue_goes_on():
    moves = [
        Record(RUNNER, "move", TEN + at, TEN + at, data={"move": move})
        for at, move in ((5, "pause"), (20, "resume"))
    ]

    assert holds(a_line([(4, "ready", 1), (20.5, "ready", 2)], *moves), "paused")
    assert "no. 2 (id 102)" in only(a_line([(4, "ready", 1), (19, "ready", 2)], *moves), "paused")


def test_a_move_that_was_tried_may_have_ended_a_pause():
    moves = [
        Record(RUNNER, "move", TEN + at, TEN + at, status, data={"move": move})
        for at, move, status in ((5, "pause", 200), (15, "resume", 0), (25, "resume", 200))
    ]

    assert holds(a_line([(16, "ready", 1)], *moves), "paused")
    assert "during a pause" in only(a_line([(14, "ready", 1)], *moves), "paused")


def test_a_pause_too_short_to_be_sure_of_is_not_rehearsed():
    moves = [
        Record(RUNNER, "move", TEN + at, TEN + at, data={"move": move})
        for at, move in ((5, "pause"), (7, "resume"))
    ]

    assert holds(a_line([(6, "ready", 1)], *moves), "paused") is None


def test_permits_do_not_pile_up_in_a_pause():
    moves = [
        Record(RUNNER, "move", TEN + at, TEN + at, data={"move": move})
        for at, move in ((20, "pause"), (30, "resume"))
    ]
    piled_up = [(30.5, "ready", 81 + n) for n in range(40)]

    assert holds(a_line([*steadily(20), (30.5, "ready", 81)], *moves), "rate")
    assert only(a_line([*steadily(20), *piled_up], *moves), "rate")


# -- the order ------------------------------------------------------------------------------------


def test_two_who_were_called_in_the_wrong_order(sale):
    one, other = next(
        (a, b) for a, b in zip(called(sale), called(sale)[1:], strict=False) if a.at == b.at
    )
    swapped = {one: other, other: one}
    tampered = replace(sale, journal=[swapped.get(entry, entry) for entry in sale.journal])

    counterexample = only(tampered, "order")

    assert (
        f"no. {one.number} (#{one.person - 5_000}) was called after no. {other.number}"
        in counterexample
    )


def test_somebody_who_was_called_twice():
    assert "called again" in only(a_line([(1, "ready", 1), (2, "ready", 1)]), "order")


def test_pairs_in_the_wrong_order_are_counted():
    line = a_line([(1, "ready", 5), (2, "ready", 3), (3, "ready", 4), (4, "ready", 1)])
    verdict = failing(line)["order"]

    assert str(verdict.detail[0]) == "Pairs in the wrong order: 5."
    assert verdict.found == 3


def test_when_people_come_in_is_up_to_them():
    calls = [(1, "ready", 1), (1, "ready", 2), (2, "admit", 2), (3, "admit", 1)]

    assert holds(a_line(calls), "order")


# -- the draw -------------------------------------------------------------------------------------


def swapped_people(facts):
    people = facts["draw"]["people"]
    people[0], people[1] = people[1], people[0]


def swapped_entries(facts):
    swapped_people(facts)
    entries = facts["draw"]["entries"]
    entries[0], entries[1] = entries[1], entries[0]


def another_seed(facts):
    facts["draw"]["seed"] = "sown later"


def another_hash(facts):
    facts["draw"]["seed_hash"] = "0" * 64


def somebody_missing(facts):
    facts["draw"]["people"].pop()
    facts["draw"]["entries"].pop()


@pytest.mark.parametrize(
    ("spoil", "culprit"),
    [
        (swapped_people, "was drawn for no. 1 and got no. 2"),
        (swapped_entries, "By the seed #"),
        (another_seed, "SHA-256"),
        (another_hash, "SHA-256"),
        (somebody_missing, "was in the lobby and not in the draw"),
    ],
)
def test_a_draw_that_is_not_what_was_published(sale, spoil, culprit):
    assert culprit in only(with_facts(sale, spoil), "lobby")


def test_a_seed_that_was_promised_otherwise(sale):
    assert "SHA-256" in only(with_setting(sale, seed_hash="f" * 64), "lobby")


def test_an_outsider_with_a_number_of_the_lobby(sale):
    drawn = sale.facts["draw"]["people"]

    def forget(facts):
        facts["draw"]["people"][-1] = 5_999

    counterexample = only(with_facts(sale, forget), "lobby")

    assert f"#{drawn[-1] - 5_000} was not drawn" in counterexample or "5999" in counterexample

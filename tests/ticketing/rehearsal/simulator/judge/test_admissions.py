"""The line: cap, rate, pauses, order and the draw, each spoilt in its own ways."""

from dataclasses import replace
from datetime import UTC, datetime
from hashlib import sha256
from itertools import pairwise

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
from ticketing.rehearsal.simulator.history import LANE_NUMBERS, RUNNER, JournalEntry, Record
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


@pytest.mark.parametrize(("kind", "is_fine"), [("expired", True), ("left", True), ("admit", False)])
def test_permits_of_people_who_did_not_come_may_be_used(kind, is_fine):
    ends = [(19.5, kind, n) for n in range(1, 14)]
    more = [(20.0, "ready", 81 + n) for n in range(13)]

    assert holds(a_line([*steadily(20), *ends, *more]), "rate") is is_fine


def test_slightly_too_fast_for_long():
    calls = [(n / 4.8, "ready", n + 1) for n in range(200)]

    assert only(a_line(calls), "rate")
    assert holds(a_line(calls, admit_per_second=4.8), "rate")


def test_permits_of_ticks_that_were_missed_may_be_used():
    silent = Record(RUNNER, "sample", TEN + 30, TEN + 30, data={"tick_age_seconds": 8.0})
    calls = [*steadily(20), *[(30.0, "ready", 81 + n) for n in range(32)]]

    assert holds(a_line(calls, silent), "rate")
    assert "no. 112" in only(a_line(calls), "rate")


def test_the_age_of_a_tick_is_as_exact_as_the_clocks_of_the_hosts():
    """One host ticks, another says how long ago that was; its clock is 2 s behind."""
    silent = Record(RUNNER, "sample", TEN + 30, TEN + 30, data={"tick_age_seconds": 8.0})
    calls = [*steadily(20), *[(30.0, "ready", 81 + n) for n in range(44)]]

    def answer(at: float, ahead: float) -> Record:
        server = datetime.fromtimestamp(TEN + at + ahead, UTC).isoformat()
        return Record(1, "join", TEN + at, TEN + at, data={"server_time": server})

    assert holds(a_line(calls, silent, answer(1, 0.0), answer(2, 2.0)), "rate")
    assert only(a_line(calls, silent, answer(1, 0.0), answer(2, 0.0)), "rate")


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
    in_lane = [entry for entry in called(sale) if entry.number < LANE_NUMBERS]
    one, other = next((a, b) for a, b in pairwise(in_lane) if a.at == b.at)
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


# -- lanes ----------------------------------------------------------------------------------------


def two_lanes(order, weights=(1, 3)):
    """Ten people wait in each of two lanes, and are called in this order."""
    numbers = {"a": range(1, 11), "b": range(LANE_NUMBERS + 1, LANE_NUMBERS + 11)}
    joined = [(1, "join", number) for one in numbers.values() for number in one]
    places = {lane: iter(ones) for lane, ones in numbers.items()}
    called_ones = [(5 + at, "ready", next(places[lane])) for at, lane in enumerate(order)]
    lanes = [{"lane": lane, "weight": weight} for lane, weight in enumerate(weights)]
    return with_facts(a_line([*joined, *called_ones]), lambda facts: facts.update(lanes=lanes))


def test_lanes_are_called_by_their_weights():
    assert holds(two_lanes("abbbabbbabbb"), "lanes")
    assert holds(two_lanes("bbbabbbabbba"), "lanes")


def test_a_lane_that_is_called_more_often_than_its_weight_says():
    assert "lane 0 was called too often beside lane 1" in only(two_lanes("aaaabbb"), "lanes")
    assert "lane 1 was called too often beside lane 0" in only(two_lanes("bbbbbbbbb"), "lanes")


def test_an_empty_lane_has_no_claim():
    """Nobody of the second lane is left: the first gets everything."""
    assert holds(two_lanes("abbb" * 3 + "b" + "aaaaaaa"), "lanes")


def changed_before(evidence, kind, change):
    """What `change` says is put into the journal, before the first entry of this kind."""
    at = next(n for n, entry in enumerate(evidence.journal) if entry.kind == kind)
    journal = [*evidence.journal]
    journal[at:at] = change(journal[at - 1].at)
    return replace(evidence, journal=journal)


def test_whoever_is_let_in_out_of_turn_costs_the_lane_no_call():
    guests = range(LANE_NUMBERS + 6, LANE_NUMBERS + 11)
    let_in_first = changed_before(
        two_lanes("abbbab"),
        "ready",
        lambda at: [
            JournalEntry(at, 100 + number, kind, number)
            for number in guests
            for kind in ("bypass", "ready")
        ],
    )
    called_first = replace(
        let_in_first, journal=[one for one in let_in_first.journal if one.kind != "bypass"]
    )

    assert holds(let_in_first, "lanes")
    assert not holds(called_first, "lanes")


def test_a_place_that_was_handed_over_is_called_once():
    heir, number = 999, LANE_NUMBERS + 1
    handed_over = changed_before(
        two_lanes("abbbabbb"),
        "ready",
        lambda at: [
            JournalEntry(at, heir, "lead", number),
            JournalEntry(at, 100 + number, "left", number),
        ],
    )
    journal = [
        replace(entry, person=heir) if (entry.kind, entry.number) == ("ready", number) else entry
        for entry in handed_over.journal
    ]

    assert holds(replace(handed_over, journal=journal), "lanes")


def test_whoever_is_moved_to_the_end_is_called_there():
    first, end = LANE_NUMBERS + 1, LANE_NUMBERS + 11
    moved = changed_before(
        two_lanes("abbbabbb"), "ready", lambda at: [JournalEntry(at, 100 + first, "demoted", end)]
    )
    journal = [entry for entry in moved.journal if (entry.kind, entry.number) != ("ready", first)]

    assert holds(replace(moved, journal=journal), "lanes")
    last = replace(journal[-1], person=100 + first, number=end)
    assert holds(replace(moved, journal=[*journal, last]), "lanes")


def test_a_line_without_lanes_was_not_rehearsed_for_them():
    assert holds(a_line([(1, "join", 1), (2, "ready", 1)]), "lanes") is None


# -- the draw -------------------------------------------------------------------------------------


def swapped_people(facts):
    people = facts["draw"]["people"]
    people[0], people[1] = people[1], people[0]


def swapped_entries(facts):
    swapped_people(facts)
    entries = facts["draw"]["entries"]
    entries[0], entries[1] = entries[1], entries[0]


def another_seed(facts):
    draw = facts["draw"]
    draw["seed"] = "sown later"
    by_entry = dict(zip(draw["entries"], draw["people"], strict=True))
    draw["entries"].sort(key=lambda entry: sha256(f"sown later:{entry}".encode()).digest())
    draw["people"] = [by_entry[entry] for entry in draw["entries"]]


def another_secret(facts):
    facts["draw"]["secret"] = "thought of later"


def another_hash(facts):
    facts["draw"]["secret_sha256"] = "0" * 64


def another_lobby(facts):
    facts["draw"]["lobby_sha256"] = "0" * 64


def another_public_value(facts):
    facts["draw"]["public_value"] = "8 12 20"


def somebody_missing(facts):
    facts["draw"]["people"].pop()
    facts["draw"]["entries"].pop()


@pytest.mark.parametrize(
    ("spoil", "culprit"),
    [
        (swapped_people, "was drawn for no. 1 and got no. 2"),
        (swapped_entries, "By the seed #"),
        (another_seed, "The seed does not follow"),
        (another_secret, "SHA-256"),
        (another_hash, "SHA-256"),
        (another_lobby, "The hash of the lobby"),
        (another_public_value, "The public value was 7 11 19, and 8 12 20 was used"),
        (somebody_missing, "The hash of the lobby"),
    ],
)
def test_a_draw_that_is_not_what_was_published(sale, spoil, culprit):
    assert culprit in only(with_facts(sale, spoil), "lobby")


def test_a_draw_without_somebody_who_was_in_the_lobby(sale):
    """The published values fit each other: only the journal knows of this person."""
    came = JournalEntry(sale.journal[0].at, 5_999, "lobby", 0)

    spoiled = replace(sale, journal=[came, *sale.journal])

    assert "was in the lobby and not in the draw" in str(failing(spoiled)["lobby"].counterexample)


def test_a_secret_that_was_promised_otherwise(sale):
    assert "SHA-256" in only(with_setting(sale, secret_sha256="f" * 64), "lobby")


def test_an_outsider_with_a_number_of_the_lobby(sale):
    drawn = sale.facts["draw"]["people"]

    def forget(facts):
        facts["draw"]["people"][-1] = 5_999

    counterexample = only(with_facts(sale, forget), "lobby")

    assert f"#{drawn[-1] - 5_000} was not drawn" in counterexample or "5999" in counterexample


def test_somebody_behind_the_lobby_who_is_called_before_it_has_its_numbers(sale):
    """The draw was marked finished too early: its numbers came later, and nobody was overtaken."""
    behind = sale.facts["draw"]["first_number"] + len(sale.facts["draw"]["people"])
    calls = [it for it in sale.journal if it.kind == "ready"]
    call = next(it for it in calls if it.number % LANE_NUMBERS >= behind)
    given = next(it for it in sale.journal if it.kind == "join" and it.number)
    journal = list[JournalEntry]()
    for entry in sale.journal:
        journal += [call, given] if entry is given else [] if entry is call else [entry]

    found = failing(replace(sale, journal=journal))["lobby"]

    assert f"no. {call.number % LANE_NUMBERS} behind the lobby" in str(found.counterexample)


@pytest.mark.parametrize("is_named", [True, False], ids=["it", "control"])
def test_a_companion_has_the_number_that_was_drawn_for_the_leader(sale, is_named):
    """The journal names the leader, who left while the draw was running."""
    leader, heir, journal = sale.facts["draw"]["people"][0], 5_998, list[JournalEntry]()
    for entry in sale.journal:
        if entry.person == leader and entry.kind == "join":
            journal.append(JournalEntry(entry.at, heir, "lead", 0, leader))
            journal.append(JournalEntry(entry.at, leader, "left", 0))
            entry = replace(entry, person=heir, leader=leader if is_named else None)
        journal.append(entry)

    found = failing(replace(sale, journal=journal)).get("lobby")

    assert (found is None) == is_named
    assert is_named or "was not drawn" in str(found.counterexample)


# -- who comes in --------------------------------------------------------------------------------


def people_wait(until=60, **counts):
    """A snapshot a second: a hundred wait, and there is room for as many."""
    usual = {"state": "open", "lobby": 0, "waiting": 100, "ready": 0, "inside": 900}
    data = usual | {"max_inside": 1_000, "cap": 1_000, "tick_age_seconds": 0.5} | counts
    return [
        Record(RUNNER, "sample", TEN + second, TEN + second, data=data) for second in range(until)
    ]


def turns(seconds, *, calls_a_second, no_shows=0, claim=8):
    """So many are called each second and come at once, but for the last of them."""
    entries, numbers = [], iter(range(1, 10_000))
    for second in range(seconds):
        called = [next(numbers) for _ in range(calls_a_second(second))]
        entries += [(second, "ready", number) for number in called]
        coming = called[: len(called) - no_shows]
        entries += [(second + 0.2, "admit", number) for number in coming]
        entries += [(second + claim + 3, "expired", number) for number in called[len(coming) :]]
    return sorted(entries)


def entered(calls_a_second, *, no_shows=0, **counts):
    line = turns(60, calls_a_second=calls_a_second, no_shows=no_shows)
    return a_line(line, *people_wait(**counts), claim_seconds=8)


def test_people_who_are_called_at_the_rate():
    assert holds(entered(lambda _: 4), "entered")


def test_fewer_than_the_rate_says():
    assert "only 1" in only(entered(lambda _: 3), "entered")


def test_one_in_four_does_not_come_and_nobody_is_called_instead():
    assert "came in" in only(entered(lambda _: 4, no_shows=1), "entered")


def test_one_in_five_does_not_come_and_others_are_called_instead():
    instead = entered(lambda second: 4 if second < 11 else 5, no_shows=1)

    assert holds(instead, "entered")
    assert holds(instead, "rate")


@pytest.mark.parametrize(
    "counts",
    [
        {"waiting": 3},
        {"waiting": 30, "unverified": 27},
        {"inside": 998},
        {"cap": 0},
        {"state": "paused"},
        {"lobby": 1},
        {"admit_per_second": 0},
    ],
)
def test_what_else_keeps_people_waiting_proves_nothing(counts):
    assert holds(entered(lambda _: 1, **counts), "entered") is None


def test_faults_prove_nothing():
    fault = Record(RUNNER, "fault", TEN, TEN + 60, data={"fault": "web"})
    line = a_line(turns(60, calls_a_second=lambda _: 1), *people_wait(), fault)

    assert holds(line, "entered") is None


# -- the stock ------------------------------------------------------------------------------------


def snapshots(sold_out_from, *, until=30, held=0):
    """One a second: four seats, all sold from this second on."""

    def seats(second):
        return (
            {"free": 0, "held": held, "paying": 0, "sold": 4} if second >= sold_out_from else FREE
        )

    return [
        Record(RUNNER, "sample", TEN + second, TEN + second, data={"seats": seats(second)})
        for second in range(until)
    ]


FREE = {"free": 1, "held": 0, "paying": 0, "sold": 3}


def test_a_call_when_every_seat_is_sold():
    assert "every seat was sold" in only(a_line([(20, "ready", 1)], *snapshots(10)), "stock")


def test_so_does_coming_in_at_once():
    assert "every seat was sold" in only(a_line([(20, "admit", 1)], *snapshots(10)), "stock")


def test_a_call_just_after_the_last_sale_may_have_counted_that_seat():
    assert holds(a_line([(12, "ready", 1)], *snapshots(10)), "stock")


def test_while_somebody_holds_a_seat_it_may_come_back():
    assert holds(a_line([(20, "ready", 1)], *snapshots(10, held=1)), "stock")

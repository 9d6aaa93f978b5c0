"""The promises `ends`, `tricks`, `failures` and `left_behind`, each broken in its own ways."""

from dataclasses import replace

import pytest

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import (
    failing,
    first,
    only,
    with_facts,
    with_record,
    with_records,
    without,
)
from tests.ticketing.rehearsal.simulator.judge.in_memory_site import iso
from ticketing.rehearsal.simulator.history import JournalEntry, Record
from ticketing.rehearsal.simulator.judge import verdicts


def end_of(sale, state):
    return first(sale.records, "end", lambda record: record.data["state"] == state)


# -- ends -----------------------------------------------------------------------------------------


def test_somebody_without_an_end(sale):
    end = end_of(sale, "bought")

    assert f"#{end.user} has 0 ends" in only(without(sale, lambda record: record is end), "ends")


def test_somebody_with_two_ends(sale):
    end = end_of(sale, "bought")

    assert f"#{end.user} has 2 ends" in only(with_records(sale, replace(end)), "ends")


def test_an_end_that_explains_nothing(sale):
    end = end_of(sale, "gave_up")

    assert "“vanished”" in only(with_record(sale, end, data={"state": "vanished"}), "ends")


def test_somebody_who_says_to_have_bought_and_has_nothing(sale):
    end = end_of(sale, "left")

    counterexample = only(with_record(sale, end, data={"state": "bought"}), "ends")

    assert f"#{end.user} ended as having bought, and has no seat" in counterexample


def test_somebody_who_has_seats_and_does_not_know(calm_sale):
    end = end_of(calm_sale, "bought")

    counterexample = only(with_record(calm_sale, end, data={"state": "left"}), "ends")

    assert f"#{end.user} ended as “left”, and has" in counterexample


def test_somebody_who_was_turned_away_while_in_line(calm_sale):
    end = end_of(calm_sale, "left")
    data = {"state": "turned_away"}
    too_soon = first(calm_sale.records, "join", lambda record: record.user == end.user).ended

    tampered = with_record(calm_sale, end, data=data, began=too_soon, ended=too_soon)

    assert f"#{end.user} was turned away, and the journal has them in line" in only(
        tampered, "ends"
    )
    assert failing(with_record(calm_sale, end, data=data)) == {}


def test_somebody_whom_the_journal_forgot(calm_sale):
    last = [one for one in calm_sale.journal if one.kind in {"completed", "left", "expired"}][-1]
    tampered = replace(calm_sale, journal=[one for one in calm_sale.journal if one is not last])

    assert "the journal has no end for them" in only(tampered, "ends")


def test_a_stranger_in_the_line(calm_sale):
    at = calm_sale.journal[-1].at
    stranger = [JournalEntry(at, 77, "lobby", 0), JournalEntry(at, 77, "left", 0)]
    tampered = replace(calm_sale, journal=[*calm_sale.journal, *stranger])

    assert "The journal knows id 77" in only(tampered, "ends")


# -- clean-up -------------------------------------------------------------------------------------


@pytest.mark.parametrize(("kind", "count"), [("redis", 3), ("payments.Payment", 1)])
def test_something_left_behind(sale, kind, count):
    tampered = replace(sale, left_behind=sale.left_behind | {kind: count})

    assert f"{count} of {kind} are left" in only(tampered, "left_behind")


# -- attacks and failures --------------------------------------------------------------------------


@pytest.mark.parametrize("action", ["forge", "replay", "skip"])
@pytest.mark.parametrize("status", [200, 201, 302])
def test_a_trick_that_worked(sale, action, status):
    at = sale.records[-1].ended
    trick = Record(7, action, at, at, status=status, data={"what": "somebody else's pass"})

    assert "#7 got through with: somebody else's pass" in only(with_records(sale, trick), "tricks")


@pytest.mark.parametrize("status", [401, 403, 404, 409, 429, 0])
def test_a_trick_that_was_refused_or_not_answered(sale, status):
    at = sale.records[-1].ended

    assert (
        failing(with_records(sale, Record(7, "forge", at, at, status=status, data={"what": "x"})))
        == {}
    )


def test_seats_held_by_somebody_who_was_never_let_in(calm_sale):
    inside = {one.person for one in calm_sale.journal if one.kind == "admit"}
    person = next(5_000 + who for who in range(60) if 5_000 + who not in inside)
    made = calm_sale.journal[40].at
    secret = {
        "code": "X7", "person": person, "state": "expired", "seats": [1001],
        "created_at": iso(made), "deadline": iso(made + 10),
    }  # fmt: skip

    counterexample = only(
        with_facts(calm_sale, lambda facts: facts["reservations"].append(secret)), "tricks"
    )

    assert f"#{person - 5_000} holds seats (X7) without having been let in" in counterexample


# -- failures -------------------------------------------------------------------------------------


@pytest.mark.parametrize("status", [500, 503])
def test_a_server_error_out_of_nowhere(calm_sale, status):
    at = calm_sale.records[50].ended
    tampered = with_records(calm_sale, Record(9, "map", at, at, status=status, code="oops"))

    assert f"map of #9 was answered with {status} oops" in only(tampered, "failures")


@pytest.mark.parametrize(("after", "excused"), [(-2, True), (10, True), (20, False)])
def test_a_server_error_is_excused_while_and_shortly_after_something_broke(
    calm_sale, after, excused
):
    at = calm_sale.records[50].ended
    fault = Record(-1, "fault", at, at + 5, data={"fault": "valkey"})
    error = Record(9, "map", at + 5 + after, at + 5 + after, status=503)

    assert ("failures" not in failing(with_records(calm_sale, fault, error))) == excused


@pytest.mark.parametrize(
    ("action", "status", "code", "excused"),
    [
        ("map", 500, "server_error", False),
        ("connect", 500, "", False),
        ("disconnect", 200, "server_error", False),
        ("disconnect", 200, "unavailable", True),
        ("map", 502, "", True),
        ("map", 504, "", True),
        ("map", 0, "", True),
    ],
)
def test_a_bug_is_not_excused_by_a_fault(calm_sale, action, status, code, excused):
    at = calm_sale.records[50].ended
    fault = Record(-1, "fault", at, at + 5, data={"fault": "postgresql"})
    tampered = with_records(calm_sale, fault, Record(9, action, at + 1, at + 1, status, code))

    if excused:
        assert "failures" not in failing(tampered)
    else:
        assert f"{action} of #9 was answered with {status} {code}" in only(tampered, "failures")


def test_which_errors_were_excused_is_told(calm_sale):
    at = calm_sale.records[50].ended
    fault = Record(-1, "fault", at, at + 5, data={"fault": "valkey"})
    judged = verdicts(with_records(calm_sale, fault, Record(9, "map", at + 1, at + 1, status=503)))

    verdict = next(one for one in judged if one.name == "failures")
    assert "1 × map 503 (valkey)" in str(verdict.detail[0])


def test_being_told_to_come_back_is_no_error_and_is_counted(calm_sale):
    at = calm_sale.records[50].ended
    busy = Record(9, "pay", at, at, status=503, code="payments_paused")
    judged = {one.name: one for one in verdicts(with_records(calm_sale, busy))}

    assert judged["failures"].holds
    assert "gateway was too slow: 1 times" in str(judged["failures"].detail[0])
    assert failing(with_records(calm_sale, replace(busy, code="queue_unavailable")))

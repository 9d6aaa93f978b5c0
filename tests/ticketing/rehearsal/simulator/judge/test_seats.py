"""Seats, money and the limit: each way to spoil them is seen by the check that is for it."""

from dataclasses import replace

import pytest

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import (
    failing,
    first,
    only,
    who_of,
    with_facts,
    with_records,
    with_setting,
)
from tests.ticketing.rehearsal.simulator.judge.in_memory_site import iso
from ticketing.rehearsal.simulator.history import Record

# Two of whom the journal knows nothing: nobody can say that they had gone.
ONE, OTHER = 998, 999


@pytest.fixture
def shop(calm_sale):
    people = calm_sale.setting["people"] | {str(who): 9_000 + who for who in (ONE, OTHER)}
    return with_setting(calm_sale, people=people)


@pytest.fixture
def noon(calm_sale):
    return calm_sale.records[0].began + 30


def bought_hold(sale):
    """A hold that was bought in the end, and kept."""
    kept = {one["code"] for one in sale.facts["reservations"] if one["state"] == "confirmed"}
    return first(sale.records, "hold", lambda record: record.data.get("reservation") in kept)


def bystander(sale):
    """Somebody who was let in and never held anything."""
    held = {one["person"] for one in sale.facts["reservations"]}
    entry = next(one for one in sale.journal if one.kind == "admit" and one.person not in held)
    return who_of(sale, entry.person), entry


def a_hold(who, seats, at, code="X1", lasts=5.0):
    data = {
        "reservation": code,
        "seats": seats,
        "deadline": iso(at + lasts),
        "server_time": iso(at),
    }
    return Record(who, "hold", at - 0.05, at, data=data)


def test_two_people_who_were_told_to_have_the_same_seat(shop):
    mine = bought_hold(shop)
    tampered = with_records(shop, a_hold(ONE, mine.data["seats"][:1], mine.ended + 0.5))

    counterexample = only(tampered, "one_owner", "linearizable")

    assert f"seat {mine.data['seats'][0]} became #{ONE}'s" in counterexample
    assert f"#{mine.user}'s" in counterexample


def test_a_seat_that_is_held_again_long_after_it_was_bought(shop):
    mine = bought_hold(shop)
    tampered = with_records(shop, a_hold(ONE, mine.data["seats"], mine.ended + 40))

    assert "for good" in only(tampered, "one_owner", "linearizable")


def test_a_hold_that_ended_is_no_claim(shop, noon):
    mine = a_hold(ONE, [1001], noon, "X0", lasts=10)
    sooner, later = (a_hold(OTHER, [1001], noon + after) for after in (8, 11))

    assert f"became #{OTHER}'s (X1), and was #{ONE}'s (X0)" in only(
        with_records(shop, mine, sooner), "one_owner", "linearizable"
    )
    assert failing(with_records(shop, mine, later)) == {}


@pytest.mark.parametrize("status", [200, 0, 503])
def test_what_may_have_been_given_back_is_no_claim(shop, noon, status):
    mine, other = a_hold(ONE, [1001], noon, "X0"), a_hold(OTHER, [1001], noon + 3)
    fault = Record(-1, "fault", noon, noon + 9, data={"fault": "web"})
    given = Record(ONE, "release", noon + 1, noon + 2, status, data={"reservation": "X0"})

    assert failing(with_records(shop, fault, mine, given, other)) == {}
    refused = replace(given, status=409)
    assert "X0" in only(
        with_records(shop, fault, mine, refused, other), "one_owner", "linearizable"
    )


def test_a_clock_that_was_ahead_may_have_ended_a_hold_sooner(shop, noon):
    mine, other = a_hold(ONE, [1001], noon, "X0"), a_hold(OTHER, [1001], noon + 4)
    clock = Record(-1, "fault", noon + 1, noon + 9, data={"fault": "clock", "seconds": 2.0})

    assert failing(with_records(shop, clock, mine, other)) == {}
    slight = replace(clock, data=clock.data | {"seconds": 0.2})
    assert "X0" in only(with_records(shop, slight, mine, other), "one_owner", "linearizable")


@pytest.mark.parametrize("seen", ["CHARGING", "PREPARED"])
def test_what_is_being_paid_cannot_run_out(shop, noon, seen):
    mine, other = a_hold(ONE, [1001], noon, "X0"), a_hold(OTHER, [1001], noon + 8)
    paid = {"reservation": "X0", "payment": "pay-X0"}
    pay = Record(ONE, "pay", noon + 1, noon + 1.1, data=paid)
    ask = Record(
        ONE, "payment_status", noon + 9, noon + 9.1, data={"payment": "pay-X0", "state": seen}
    )

    assert failing(with_records(shop, mine, pay, other)) == {}
    tampered = with_records(shop, mine, pay, ask, other)
    assert "X0" in str(failing(tampered)["one_owner"].counterexample)


def test_somebody_who_was_told_paid_and_has_nothing(calm_sale):
    mine = bought_hold(calm_sale)
    code, seats = mine.data["reservation"], set(mine.data["seats"])

    def undo(facts):
        for one in facts["reservations"]:
            one["state"] = "cancelled" if one["code"] == code else one["state"]
        for one in facts["payments"]:
            one["state"] = "failed" if one["reservation"] == code else one["state"]
        facts["charges"] = [one for one in facts["charges"] if one["payment"] != f"pay-{code}"]
        facts["tickets"] = [one for one in facts["tickets"] if one["seat"] not in seats]
        facts["sold"] = [pair for pair in facts["sold"] if pair[0] not in seats]
        facts["seats"]["sold"] = len(facts["sold"])

    tampered = with_facts(calm_sale, undo)
    records = [
        replace(record, data=record.data | {"state": "declined"})
        if record.action == "end" and record.user == mine.user
        else record
        for record in tampered.records
    ]

    counterexample = only(replace(tampered, records=records), "one_owner", "linearizable")

    assert f"#{mine.user} was told" in counterexample


def test_a_seat_with_two_owners_in_the_final_rows(calm_sale):
    mine, (who, entry) = bought_hold(calm_sale), bystander(calm_sale)
    second = {
        "code": "X2", "person": entry.person, "state": "held", "seats": mine.data["seats"][:1],
        "created_at": iso(entry.at + 0.1), "deadline": iso(entry.at + 9),
    }  # fmt: skip

    counterexample = only(
        with_facts(calm_sale, lambda facts: facts["reservations"].append(second)),
        "one_owner",
        "linearizable",
    )

    assert f"#{who} (X2)" in counterexample


def test_a_hold_nobody_heard_of_counts_if_it_was_bought(shop):
    mine = bought_hold(shop)
    unanswered = replace(shop, records=[
        replace(it, status=0, data={"asked": it.data["asked"]}) if it is mine else it
        for it in shop.records
    ])  # fmt: skip

    counterexample = only(
        with_records(unanswered, a_hold(ONE, mine.data["seats"][:1], mine.ended + 30)),
        "one_owner",
        "linearizable",
    )

    assert f"#{mine.user}'s ({mine.data['reservation']})" in counterexample


# -- money ----------------------------------------------------------------------------------------


def charged_twice(facts):
    facts["charges"].append(dict(facts["charges"][0]))


def charged_too_much(facts):
    facts["charges"][0]["amount"] += 1


def never_charged(facts):
    del facts["charges"][0]


def charged_for_nothing(facts):
    facts["charges"].append({"payment": "pay-none", "amount": 5, "refunded": 0})


def a_ticket_too_few(facts):
    del facts["tickets"][0]


def a_ticket_too_many(facts):
    facts["tickets"].append(facts["tickets"][0] | {"code": "T-again"})


def miscounted(facts):
    facts["seats"]["sold"] += 1


def confirmed_for_free(facts):
    code = next(one["code"] for one in facts["reservations"] if one["state"] == "confirmed")
    facts["payments"] = [one for one in facts["payments"] if one["reservation"] != code]
    facts["charges"] = [one for one in facts["charges"] if one["payment"] != f"pay-{code}"]


def kept_without_seats(facts):
    one = next(one for one in facts["payments"] if one["state"] == "failed")
    one["state"] = "succeeded"
    facts["charges"].append({"payment": one["number"], "amount": one["amount"], "refunded": 0})


def sold_to_nobody(facts):
    facts["sold"].append([1001, None])
    facts["seats"]["sold"] += 1
    facts["tickets"].append({"code": "T1001", "person": 1, "seat": 1001, "state": "valid"})


@pytest.mark.parametrize(
    ("spoil", "culprit"),
    [
        (sold_to_nobody, "Seat 1001 is sold to"),
        (charged_twice, "pay-R"),
        (charged_too_much, "pay-R"),
        (never_charged, "pay-R"),
        (charged_for_nothing, "pay-none"),
        (a_ticket_too_few, "0 tickets"),
        (a_ticket_too_many, "2 tickets"),
        (miscounted, "counted as sold"),
        (kept_without_seats, "was kept, and the reservation R"),
    ],
)
def test_money_that_does_not_match(calm_sale, spoil, culprit):
    assert culprit in only(with_facts(calm_sale, spoil), "books")


def test_a_sale_whose_payment_is_gone_in_the_end(calm_sale):
    """The books of the sale had it: nobody can have begun to pay that much."""
    spoiled = with_facts(calm_sale, confirmed_for_free)

    assert "0 payments kept" in only(spoiled, "books", "money")


# -- the limit ------------------------------------------------------------------------------------


def test_somebody_who_has_too_many_seats_for_a_moment(shop, noon):
    one, other = a_hold(ONE, [1001, 1002, 1003], noon), a_hold(ONE, [1004, 1005], noon + 1, "X2")

    assert f"#{ONE} has 5 seats" in only(with_records(shop, one, other), "per_person")


def test_one_hold_after_the_other_is_not_too_many(shop, noon):
    one = a_hold(ONE, [1001, 1002, 1003], noon, lasts=1)
    other = a_hold(ONE, [1004, 1005], noon + 3, "X2")

    assert failing(with_records(shop, one, other)) == {}


def test_somebody_who_has_too_many_in_the_end(calm_sale):
    mine = bought_hold(calm_sale)
    person, seats = calm_sale.setting["people"][str(mine.user)], [1001, 1002, 1003, 1004]

    def buy(facts):
        made = next(one for one in facts["reservations"] if one["code"] == mine.data["reservation"])
        facts["reservations"].append(made | {"code": "X9", "seats": seats})
        payment = {"number": "pay-X9", "person": person, "reservation": "X9", "state": "succeeded"}
        facts["payments"].append(payment | {"amount": 4, "refunded": 0})
        facts["charges"].append({"payment": "pay-X9", "amount": 4, "refunded": 0})
        facts["sold"] += [[seat, person] for seat in seats]
        facts["seats"]["sold"] += 4
        facts["tickets"] += [
            {"code": f"T{seat}", "person": person, "seat": seat, "state": "valid"} for seat in seats
        ]

    assert f"#{mine.user} has" in only(with_facts(calm_sale, buy), "per_person")

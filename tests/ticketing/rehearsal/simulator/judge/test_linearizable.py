"""Every seat is a register: its history fits one order, or the operation that doesn't is named."""

from dataclasses import replace
from itertools import permutations
from random import Random

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.ticketing.rehearsal.simulator.judge.altered_evidence import (
    failing,
    first,
    only,
    with_facts,
    with_records,
    with_setting,
)
from ticketing.rehearsal.simulator.judge.clocks import FOREVER
from ticketing.rehearsal.simulator.judge.register import misfit
from ticketing.rehearsal.simulator.judge.seat_operations import FREE, SeatOperation

STRANGER = 998


def operation(before, after, began, ended=FOREVER):
    return SeatOperation(7, 1, before, after, began, ended)


def held(code, began, ended=FOREVER):
    return operation(FREE, code, began, ended)


def over(code, began, ended=FOREVER):
    return operation(code, FREE, began, ended)


def read(value, began, ended):
    return operation(value, value, began, ended)


# -- one register ---------------------------------------------------------------------------------


FITTING = {
    "one after the other": [held("A", 1, 2), over("A", 3, 4), held("B", 5, 6), read("B", 7, 8)],
    "at once": [held("A", 1, 9), over("A", 1, 9), held("B", 1, 9), over("B", 1, 9)],
    "an expiry that nobody heard of": [held("A", 1, 2), over("A", 5), held("B", 6, 7)],
    "an expiry that never happened": [held("A", 1, 2), over("A", 5), read("A", 8, 9)],
    "a lost answer with an effect": [held("A", 1), read("A", 5, 6)],
    "a lost answer without": [held("A", 1), held("B", 2, 3), read("B", 5, 6)],
    "a read that began before the hold": [read("A", 0, 9), held("A", 3, 4)],
    "a late effect": [held("A", 1), held("B", 2, 3), over("B", 4, 5), read("A", 8, 9)],
}
MISFITTING = {
    "double sale": ([held("A", 1, 2), held("B", 3, 4)], "B"),
    "double sale before the expiry": ([held("A", 1, 2), over("A", 5), held("B", 3, 4)], "B"),
    "lost sale": ([held("A", 1, 2), read(FREE, 8, 9)], FREE),
    "stale read": ([held("A", 1, 2), over("A", 3, 4), held("B", 5, 6), read("A", 7, 8)], "A"),
    "a read of what nobody held": ([held("A", 1, 2), over("A", 3, 4), read("X", 5, 6)], "X"),
    "a reservation that comes back": (
        [held("A", 1, 2), read(FREE, 3, 4), over("A", 2.5), read("A", 5, 6)],
        "A",
    ),
    "a release of what was another's": ([held("A", 1, 2), over("B", 3, 4)], FREE),
    "a read too early": ([read("A", 1, 2), held("A", 3, 4)], "A"),
}


@pytest.mark.parametrize("name", FITTING)
def test_what_fits_an_order_is_not_accused(name):
    assert misfit(FITTING[name]) is None


@pytest.mark.parametrize("name", MISFITTING)
def test_what_fits_no_order_is_named(name):
    operations, value = MISFITTING[name]

    assert misfit(operations).after == value


VALUES = st.sampled_from([FREE, "A", "B"])


@st.composite
def any_operation(draw):
    began = draw(st.integers(0, 8))
    ended = draw(st.one_of(st.integers(began, 9).map(float), st.just(FOREVER)))
    before, after = draw(VALUES), draw(VALUES)
    return operation(before, after, began, ended)


def fits_some_permutation(operations):
    """By trying all orders of all subsets with everything that ended."""
    for size in range(len(operations) + 1):
        for order in permutations(operations, size):
            if all(one in order for one in operations if one.ended < FOREVER) and fits(order):
                return True
    return False


def fits(order):
    value = FREE
    for at, one in enumerate(order):
        if one.before != value or any(later.ended < one.began for later in order[at + 1 :]):
            return False
        value = one.after
    return True


@settings(max_examples=300, deadline=None)
@given(operations=st.lists(any_operation(), max_size=5, unique=True))
def test_the_search_agrees_with_trying_everything(operations):
    # The read of an interrupted call tells nobody anything.
    assume(not any(one.is_read and one.ended == FOREVER for one in operations))

    assert (misfit(operations) is None) == fits_some_permutation(operations)


def true_history(seed, length=60):
    """A register that is used one operation after the other, and seen by slow callers."""
    rng, value, operations, codes = Random(seed), FREE, [], 0
    for now in range(1, length + 1):
        began, ended = now - rng.uniform(0, 4), now + rng.uniform(0, 4)
        match rng.randrange(3), value == FREE:
            case 0, True:
                codes += 1
                before, value = value, f"R{codes}"
                ended = FOREVER if rng.random() < 0.2 else ended
            case 0, False:
                before, value = value, FREE
                ended = FOREVER if rng.random() < 0.5 else ended
            case _:
                before = value
        operations.append(operation(before, value, began, ended))
        if rng.random() < 0.1:  # a call whose answer was lost, and which did nothing
            operations.append(held(f"lost-{now}", began))
    return operations


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6))
def test_true_histories_fit(seed):
    assert misfit(true_history(seed)) is None


@settings(max_examples=60, deadline=None)
@given(seed=st.integers(0, 10**6), way=st.sampled_from(["double", "lost", "stale"]))
def test_altered_histories_do_not_fit(seed, way):
    operations, end = true_history(seed), 100.0
    value = next(one.after for one in reversed(operations) if not one.after.startswith("lost"))
    tail = [read(value, end, end + 1)]
    if value == FREE:
        tail.append(held("last", end + 2, end + 3))
    owner = "last" if value == FREE else value
    wrong = {"double": held("other", end + 8, end + 9), "lost": read(FREE, end + 8, end + 9)}
    wrong["stale"] = read("R0", end + 8, end + 9)
    tail.append(read(owner, end + 4, end + 5))
    settled = [one for one in operations if one.before != owner or one.ended < FOREVER]

    assert misfit([*settled, *tail]) is None
    assert misfit([*settled, *tail, wrong[way]]) == wrong[way]


def test_a_seat_that_hundreds_wanted_is_judged_without_trying_every_order():
    crowd = [
        one
        for at in range(300)
        for one in (held(f"R{at}", at, at + 1.5), over(f"R{at}", at + 0.5), read(FREE, at, at + 3))
    ]

    assert misfit(crowd) is None


# -- a whole sale ---------------------------------------------------------------------------------


@pytest.fixture
def shop(calm_sale):
    people = calm_sale.setting["people"] | {str(STRANGER): 9_998}
    return with_setting(calm_sale, people=people)


def bought_hold(sale):
    kept = {one["code"] for one in sale.facts["reservations"] if one["state"] == "confirmed"}
    return first(sale.records, "hold", lambda record: record.data.get("reservation") in kept)


@pytest.mark.parametrize("value", [None, "X9"])
def test_a_stale_read_of_a_bought_seat(shop, value):
    mine = bought_hold(shop)
    seat = mine.data["seats"][0]
    late = replace(
        first(reversed(shop.records), "books"),
        began=mine.ended + 40,
        ended=mine.ended + 41,
    )
    late = replace(late, data=late.data | {"seats": [[seat, value]]})

    told = only(with_records(shop, late), "linearizable")

    assert f"seat {seat} was read as {value or 'free'}" in told


def test_a_sale_that_the_final_rows_have_lost(calm_sale):
    mine = bought_hold(calm_sale)

    def lose(facts):
        facts["reservations"] = [
            one for one in facts["reservations"] if one["code"] != mine.data["reservation"]
        ]

    failed = failing(with_facts(calm_sale, lose))

    assert "was read as free" in str(failed["linearizable"].counterexample)


def test_an_unanswered_hold_that_was_seen_explains_what_was_seen(sale):
    answered = {record.data.get("reservation") for record in sale.records}
    silent = [one for one in sale.facts["reservations"] if one["code"] not in answered]

    assert silent, "the honest sale has holds whose answer was lost"

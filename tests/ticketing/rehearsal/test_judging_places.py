"""Places and positions: what people were told, against the line as it was."""

from dataclasses import replace

import pytest

from tests.ticketing.rehearsal.making import honest
from tests.ticketing.rehearsal.planting import (
    failing,
    first,
    only,
    with_deed,
    with_deeds,
    with_knob,
    without,
)
from tests.ticketing.rehearsal.shop import iso
from ticketing.rehearsal.simulator.history import Deed, Entry

LONG_AFTER_THE_DRAW = 20


def who_ended(sale, kind, such=lambda _: True):
    entry = next(one for one in sale.journal if one.kind == kind and such(one))
    return entry.person - 5_000, entry


def in_line_only(sale):
    admitted = {one.person for one in sale.journal if one.kind in {"ready", "admit"}}
    return lambda entry: entry.person not in admitted and entry.number > 0


# -- nobody loses their place ---------------------------------------------------------------------


def test_somebody_who_came_back_with_another_number(sale):
    claim = first(sale.deeds, "claim", lambda deed: deed.done)
    spoilt = with_deed(sale, claim, saw=claim.saw | {"number": 4_711})

    assert f"#{claim.who} was told no. 4711" in only(spoilt, "places")


def test_somebody_who_got_a_new_number_without_having_left(calm_sale):
    """Given by the journal, but the first one never ended."""
    person, end = 5_059, calm_sale.journal[-1].at + 5
    claim = first(calm_sale.deeds, "claim", lambda deed: deed.done)
    again = [Entry(end, person, "join", 4_711), Entry(end, person, "closed", 4_711)]
    kept = [
        one for one in calm_sale.journal if one.person != person or one.kind in {"lobby", "join"}
    ]
    number = next(one.number for one in kept if one.person == person and one.kind == "join")
    told = [
        replace(claim, who=59, began=end + at, ended=end + at, saw=claim.saw | {"number": which})
        for at, which in ((1, number), (2, 4_711))
    ]

    spoilt = replace(with_deeds(calm_sale, *told), journal=[*kept, *again])

    found = str(failing(spoilt)["places"].counterexample)
    assert f"#59 came back with no. 4711; it was no. {number} before" in found


def test_somebody_who_was_taken_out_as_having_left(sale):
    who, entry = who_ended(sale, "left", in_line_only(sale))
    spoilt = without(sale, lambda deed: deed.who == who and deed.did == "leave")

    told = only(spoilt, "places")

    assert f"#{who} (no. {entry.number}) was taken out as having left" in told


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
    look = Deed(who, "look", entry.at - 5, entry.at - 4.9, saw={"state": "WAITING"})

    told = only(with_deeds(with_absent, look), "places")

    assert f"#{who} (no. {entry.number}) lost their place as absent" in told


def test_somebody_who_lost_their_place_with_the_page_open(with_absent):
    who, entry = who_ended(with_absent, "expired", in_line_only(with_absent))
    gone = first(with_absent.deeds, "dropped", lambda deed: deed.who == who)
    spoilt = without(with_absent, lambda deed: deed is gone)

    assert f"#{who} (no. {entry.number}) lost their place as absent" in only(spoilt, "places")


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


def shown(sale, did="look", least=4):
    return first(sale.deeds, did, lambda deed: (deed.saw.get("position") or 0) >= least)


@pytest.mark.parametrize("by", [-9, 9])
@pytest.mark.parametrize("did", ["look", "told"])
def test_a_position_that_was_never_so(calm_sale, by, did):
    late = calm_sale.deeds[0].began + LONG_AFTER_THE_DRAW
    deed = first(
        calm_sale.deeds, did, lambda one: one.began > late and (one.saw.get("position") or 0) > 9
    )
    spoilt = with_deed(calm_sale, deed, saw=deed.saw | {"position": deed.saw["position"] + by})

    assert f"#{deed.who} (no. {deed.saw['number']}) was shown position" in only(spoilt, "positions")


def test_a_position_of_somebody_who_was_no_longer_in_line(calm_sale):
    late = calm_sale.deeds[0].began + LONG_AFTER_THE_DRAW
    entry = next(one for one in calm_sale.journal if one.kind == "ready" and one.at > late)
    who, at = entry.person - 5_000, entry.at + 7
    saw = {"state": "WAITING", "number": entry.number, "position": 1, "server_time": iso(at)}

    told = only(with_deeds(calm_sale, Deed(who, "look", at, at + 0.1, saw=saw)), "positions")

    assert f"#{who}" in told


def test_what_was_true_is_too_old_to_be_told(calm_sale):
    deed = shown(calm_sale)
    later = replace(deed, began=deed.began + 9, ended=deed.ended + 9)
    spoilt = with_deeds(calm_sale, replace(later, did="look"))

    assert f"#{deed.who} was told what was so" in only(spoilt, "positions")

"""Personas and plans follow from the seed alone."""

from collections import Counter
from statistics import mean

import pytest

from ticketing.rehearsal.simulator.users.arrivals import PROFILES
from ticketing.rehearsal.simulator.users.personas import (
    BOT_PERSONAS,
    HUMAN_PERSONAS,
    TRAITS,
    SaleParameters,
    plan_of,
)

RUSH = SaleParameters(profile="rush", seconds=180, limit=4, hold_seconds=300)
BOTS_TOO = SaleParameters(profile="bots", seconds=180, limit=4, hold_seconds=300)


def plans(sale, people=2_000, seed=1):
    return [plan_of(number, seed=seed, sale=sale) for number in range(people)]


def test_the_same_seed_gives_the_same_plans_and_another_one_others():
    assert plans(RUSH, 300) == plans(RUSH, 300)
    assert plans(RUSH, 300) != plans(RUSH, 300, seed=2)


def test_a_persons_plan_does_not_depend_on_how_many_others_there_are():
    assert plans(RUSH, 10)[7] == plans(RUSH, 1_000)[7]


def test_every_persona_is_there_and_has_its_traits():
    assert {plan.persona for plan in plans(RUSH)} == set(HUMAN_PERSONAS)
    assert {plan.persona for plan in plans(BOTS_TOO)} == set(HUMAN_PERSONAS) | set(BOT_PERSONAS)
    assert set(TRAITS) == set(HUMAN_PERSONAS) | set(BOT_PERSONAS)


def test_in_a_rush_four_of_five_come_to_the_lobby_or_in_the_first_twenty_seconds():
    early = [plan for plan in plans(RUSH) if plan.arrival.in_lobby or plan.arrival.at <= 20]

    assert 0.78 < len(early) / 2_000 < 0.9


def test_steady_people_come_all_the_time_but_not_at_the_very_end():
    sale = SaleParameters(profile="steady", seconds=180, limit=4, hold_seconds=300)
    later = [plan.arrival.at for plan in plans(sale) if not plan.arrival.in_lobby]

    assert 50 < mean(later) < 80
    assert max(later) < 0.8 * sale.seconds


@pytest.mark.parametrize("profile", PROFILES)
def test_in_a_short_sale_nobody_plans_beyond_its_end(profile):
    short = SaleParameters(profile=profile, seconds=24, limit=1, hold_seconds=300)
    made = plans(short, 500)

    assert all(plan.arrival.at <= short.seconds for plan in made)
    assert all(plan.thinking <= 5 and plan.pays_after < short.seconds for plan in made)
    assert {plan.seats for plan in made} == {1}


def test_half_of_the_bots_profile_are_bots_and_nobody_else_ever_is():
    kinds = Counter(plan.is_bot for plan in plans(BOTS_TOO))

    assert 0.45 < kinds[True] / 2_000 < 0.55
    assert not any(plan.is_bot for plan in plans(RUSH))


def test_people_want_anything_up_to_the_limit():
    assert {plan.seats for plan in plans(RUSH)} == {1, 2, 3, 4}

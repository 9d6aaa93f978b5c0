"""The outlook on seats. Every figure here was worked out by hand."""

from dataclasses import asdict, replace
from fractions import Fraction

import pytest
from django.core.cache import cache
from hypothesis import given
from hypothesis import strategies as st

from tests.making import make_event, seat_ids
from ticketing.events.models import Grade, Seat
from ticketing.events.selectors import GradeSeatCounts
from waiting_queue.selectors import outlook_of
from waiting_queue.selectors.outlook import (
    GradeOutlook,
    average_basket,
    chance_of,
    forecast,
    grade_outlooks,
    undecided,
)

NOBODY = {"admitted": 0, "inside": 0, "ready": 0}


def seats(code, free=0, held=0, sold=0):
    return GradeSeatCounts(code, f"{code}석", f"{code} seat", free, held, sold)


def limits_of(outlook, code="R"):
    (grade,) = [grade for grade in outlook.grades if grade.code == code]
    return grade.likely, grade.maybe


def chance(grade, ahead):
    return chance_of(asdict(grade), ahead)


# -- the parts ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("sold", "done", "basket"),
    [
        (0, 0, 2),  # the assumption alone
        (0, 20, 1),  # 40 assumed seats over 40 people
        (60, 20, Fraction(5, 2)),  # 100 seats over 40 people
        (1_460, 980, Fraction(3, 2)),  # 1,500 over 1,000: what was assumed has faded
        (40, 0, 4),  # as much as anybody takes
        (41, 0, 2),  # more: these seats were not sold to these people
        (5_000, 20, 2),
    ],
)
def test_the_basket_is_the_average_of_those_who_are_done(sold, done, basket):
    assert average_basket(sold=sold, done=done) == basket


@pytest.mark.parametrize(
    ("inside", "held", "basket", "people"),
    [(0, 0, 2, 0), (10, 0, 2, 10), (10, 6, 2, 7), (10, 20, 2, 0), (10, 90, 2, 0)],
)
def test_people_inside_without_held_seats_are_undecided(inside, held, basket, people):
    assert undecided(inside=inside, held=held, basket=Fraction(basket)) == people


# -- the whole ------------------------------------------------------------------------------------


def test_before_the_sale_everybody_is_assumed_to_take_two():
    """100 seats: 70 of them are 35 baskets, 130 % of them 65."""
    outlook = forecast([seats("R", free=100)], **NOBODY)

    assert limits_of(outlook) == (36, 66)  # with 35 ahead it is still likely


def test_people_called_and_people_inside_come_first():
    """10 called, and of 8 inside those without the 6 held seats: 5. So 15 fewer."""
    outlook = forecast([seats("R", free=94, held=6)], admitted=8, inside=8, ready=10)

    # 94 * 0.7 / 2 = 32.9 and 94 * 1.3 / 2 = 61.1, less 15
    assert limits_of(outlook) == (18, 47)


def test_with_many_inside_who_have_taken_nothing_a_seat_is_unlikely():
    """800 are inside and want 1,600 of 1,000 seats."""
    outlook = forecast([seats("R", free=1_000)], admitted=800, inside=800, ready=0)

    assert limits_of(outlook) == (0, 0)
    assert chance(outlook.grades[0], 0) == "unlikely"


def test_small_baskets_raise_the_limits():
    """1,000 came in, 20 are inside: (1,460 + 40) / (980 + 20) = 1.5 seats each."""
    outlook = forecast([seats("R", free=3_000, sold=1_460)], admitted=1_000, inside=20, ready=0)

    # 2,100 / 1.5 = 1,400 and 3,900 / 1.5 = 2,600, less 20 undecided
    assert limits_of(outlook) == (1_381, 2_581)


def test_demand_follows_the_seats_taken_so_far():
    """200 seats, 160 sold to 60 people: (160 + 40) / (60 + 20) = 2.5 each.

    R is wanted by 120 + 40 * 140 / 360, S by 40 + 40 * 220 / 360 of 200.
    """
    grades = [seats("R", free=20, sold=120), seats("S", free=180, sold=40)]
    outlook = forecast(grades, admitted=60, inside=0, ready=0)

    # R: 0.6778 * 2.5 = 1.6944 a person; 14 / 1.6944 = 8.26 and 26 / 1.6944 = 15.34
    assert limits_of(outlook, "R") == (9, 16)
    # S: 0.3222 * 2.5 = 0.8056 a person; 126 / 0.8056 = 156.41 and 234 / 0.8056 = 290.48
    assert limits_of(outlook, "S") == (157, 291)


def test_people_whose_grade_is_gone_take_another():
    """All of the demand is S's now: 70 / 2 and 130 / 2."""
    outlook = forecast([seats("R", held=100), seats("S", free=100)], **NOBODY)

    assert limits_of(outlook, "R") == (0, 0)
    assert limits_of(outlook, "S") == (36, 66)


# -- edges ----------------------------------------------------------------------------------------


def test_an_event_without_grades_has_no_outlook():
    assert forecast([], **NOBODY).as_dict() == {"grades": []}


def test_of_a_grade_without_seats_none_is_left():
    outlook = forecast([seats("R")], **NOBODY)

    assert chance(outlook.grades[0], 0) == "none"


def test_a_grade_without_seats_takes_nothing_from_the_others():
    with_it = forecast([seats("R", free=100), seats("X")], **NOBODY)

    assert limits_of(with_it, "R") == (36, 66)
    assert limits_of(with_it, "X") == (0, 0)


def test_of_what_is_held_none_is_left_now():
    outlook = forecast([seats("R", held=100)], admitted=50, inside=50, ready=0)

    assert chance(outlook.grades[0], 0) == "none"


def test_counts_after_a_rebuild_do_no_harm():
    """After a rebuild more people are inside than were counted coming in."""
    outlook = forecast([seats("R", free=900, sold=500)], admitted=3, inside=100, ready=0)

    assert limits_of(outlook) == (216, 486)  # 315 and 585 baskets of two, less 100


def test_the_last_seat_is_for_the_first_in_line():
    grade = forecast([seats("R", free=1, sold=9)], admitted=5, inside=0, ready=0).grades[0]

    assert [chance(grade, ahead) for ahead in (0, 1)] == ["likely", "unlikely"]


@pytest.mark.parametrize(
    ("free", "ahead", "expected"),
    [
        (5, 0, "likely"),
        (5, 2, "likely"),
        (5, 3, "maybe"),
        (5, 6, "maybe"),
        (5, 7, "unlikely"),
        (0, 0, "none"),
    ],
)
def test_the_chance_follows_the_people_ahead(free, ahead, expected):
    grade = GradeOutlook("R", "R석", "R seat", free=free, likely=3, maybe=7)

    assert chance(grade, ahead) == expected


# -- whatever the figures -------------------------------------------------------------------------

COUNT = st.integers(0, 60_000)
GRADES = st.lists(st.tuples(COUNT, COUNT, COUNT), min_size=1, max_size=5).map(
    lambda rows: [seats(str(number), *row) for number, row in enumerate(rows)]
)
BASKET = st.fractions(Fraction(1, 1_000), 8)
BEFORE = st.fractions(0, 2_000)


def never_lower(after, before):
    return all(
        new.likely >= old.likely and new.maybe >= old.maybe
        for new, old in zip(after, before, strict=True)
    )


@given(GRADES, BASKET, BEFORE)
def test_what_is_likely_is_possible(grades, basket, before):
    for grade in grade_outlooks(grades, basket, before):
        assert 0 <= grade.likely <= grade.maybe


@given(GRADES, BASKET, BEFORE, st.integers(1, 60_000), st.data())
def test_more_free_seats_lower_no_limit(grades, basket, before, more, data):
    index = data.draw(st.integers(0, len(grades) - 1))
    richer = list(grades)
    richer[index] = replace(richer[index], free=richer[index].free + more)

    assert never_lower(
        grade_outlooks(richer, basket, before), grade_outlooks(grades, basket, before)
    )


@given(GRADES, BASKET, BEFORE, st.fractions(Fraction(1, 100), 1))
def test_smaller_baskets_lower_no_limit(grades, basket, before, part):
    assert never_lower(
        grade_outlooks(grades, basket * part, before), grade_outlooks(grades, basket, before)
    )


@given(GRADES, COUNT, COUNT, st.integers(0, 500), st.integers(1, 500))
def test_more_people_called_raise_no_limit(grades, admitted, inside, ready, more):
    few = forecast(grades, admitted=admitted, inside=inside, ready=ready)
    many = forecast(grades, admitted=admitted, inside=inside, ready=ready + more)

    assert never_lower(few.grades, many.grades)


# -- from real seats ------------------------------------------------------------------------------


def test_an_event_is_counted_in_one_statement(event, django_assert_num_queries):
    """8 seats R, one sold, one held, one held back; 4 seats S."""
    sold, held, blocked, *_ = seat_ids(event)
    Seat.objects.filter(pk=sold).update(state="sold")
    Seat.objects.filter(pk=held).update(state="held")
    Seat.objects.filter(pk=blocked).update(state="blocked")
    Grade.objects.create(event=event, code="X", name_ko="X석", name_en="X seat", price=1, order=9)
    make_event(event.starts_at)  # not counted

    with django_assert_num_queries(1):
        outlook = outlook_of(event.pk, admitted=0, inside=0, ready=0).as_dict()

    assert [(grade["code"], grade["free"]) for grade in outlook["grades"]] == [
        ("R", 5),
        ("S", 4),
        ("X", 0),
    ]
    assert outlook["grades"][0].keys() == {"code", "name_ko", "name_en", "free", "likely", "maybe"}


def test_a_second_call_within_a_second_counts_nothing(event, django_assert_num_queries):
    first = outlook_of(event.pk, **NOBODY)

    with django_assert_num_queries(0):
        assert outlook_of(event.pk, **NOBODY) == first


def test_the_next_second_counts_again(event):
    outlook_of(event.pk, **NOBODY)
    event.seats.update(state="sold")
    cache.clear()

    assert [grade.free for grade in outlook_of(event.pk, **NOBODY).grades] == [0, 0]

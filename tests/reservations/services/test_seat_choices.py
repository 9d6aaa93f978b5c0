"""Best available, standing places, wheelchair spaces."""

import pytest

from reservations import errors
from reservations.locks import holds as hold_locks
from reservations.models import Reservation
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.reservations.acting import best, hold, places
from ticketing.core.errors import NotFound
from ticketing.events.models import Event, Place, Seat

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def house(now):
    """Five rows of nine; the last is grade S."""
    plan = make_plan(rows=5, seats_per_row=9)
    plan.sections.update(x=10)  # so that the fifth seat is in the middle
    return make_event(now, plan=plan, seats_per_person=20)


def labels(held):
    return [f"{seat['row']}-{seat['number']}" for seat in held.seats]


def test_the_best_are_side_by_side_in_the_middle_of_the_first_row(house, fan, now):
    assert labels(best(house, fan, now, 3)) == ["1-4", "1-5", "1-6"]


def test_the_next_best_are_behind_them(house, fan, now):
    best(house, fan, now, 3)

    assert labels(best(house, fan, now, 3)) == ["2-4", "2-5", "2-6"]


@pytest.mark.parametrize(("no_orphans", "given"), [(True, ["1-1", "1-2"]), (False, ["1-7", "1-8"])])
def test_no_single_seat_is_left_if_the_event_wants_none(house, fan, now, no_orphans, given):
    Event.objects.update(no_orphans=no_orphans)
    free = Seat.objects.filter(event=house, place__row="1", place__number__in=[1, 2, 7, 8, 9])
    Seat.objects.exclude(pk__in=free).update(state="sold")

    assert labels(best(house, fan, now, 2)) == given


def test_everybody_gets_something_until_nothing_is_left(house, fan, now):
    taken = [best(house, make_user(password=None), now, 3) for _ in range(12)]

    assert len({seat["id"] for held in taken for seat in held.seats}) == 36
    with pytest.raises(errors.NotTogether) as refused:
        best(house, fan, now, 3)
    assert refused.value.details == {"quantity": 3}


def test_they_are_of_the_grade_and_never_held_back(house, fan, now):
    last_row = Seat.objects.filter(event=house, grade__code="S")
    last_row.exclude(place__number__in=[1, 2]).update(state="blocked")

    assert labels(best(house, fan, now, 2, grade="S")) == ["5-1", "5-2"]
    with pytest.raises(errors.NotTogether):
        best(house, fan, now, 1, grade="S")
    with pytest.raises(errors.NotTogether):
        best(house, fan, now, 1, grade="X")


def test_an_aisle_is_not_side_by_side(house, fan, now):
    for place in Place.objects.filter(section__plan=house.plan, number__gt=5):
        Place.objects.filter(pk=place.pk).update(x=place.x + 20)

    for _ in range(4):
        numbers = [seat["number"] for seat in best(house, fan, now, 4).seats]
        assert max(numbers) <= 5 or min(numbers) > 5


def test_the_limit_counts_for_the_best_too(event, fan, now):
    with pytest.raises(errors.TooManySeats):
        best(event, fan, now, 4) and best(event, fan, now, 1)
    assert Reservation.objects.count() == 1


def test_the_best_cost_one_round_trip(house, fan, now, django_assert_num_queries):
    best(house, fan, now, 1)

    with django_assert_num_queries(1):
        best(house, fan, now, 2)


# -- wheelchair spaces ----------------------------------------------------------------------------


@pytest.fixture
def accessible(house):
    """In the first row, 1 is a wheelchair space and 2 its companion's seat; so are 5 and 6."""
    first = Place.objects.filter(section__plan=house.plan, row="1")
    first.filter(number__in=[1, 5]).update(accessible=True)
    first.filter(number__in=[2, 6]).update(companion=True)
    return house


def test_a_wheelchair_place_comes_with_its_companion(accessible, fan, now):
    assert labels(best(accessible, fan, now, 2, accessible=True)) == ["1-5", "1-6"]
    assert labels(best(accessible, fan, now, 1, accessible=True)) == ["1-1"]
    with pytest.raises(errors.NotTogether):
        best(accessible, fan, now, 2, accessible=True)


def test_nobody_is_given_one_who_did_not_ask(accessible, fan, now):
    given = [label for _ in range(5) for label in labels(best(accessible, fan, now, 2))]

    assert not {"1-1", "1-2", "1-5", "1-6"} & set(given)


def test_a_companions_seat_alone_is_refused(accessible, fan, rival, now):
    one, two, three, *_ = seat_ids(accessible)

    with pytest.raises(errors.CompanionAlone):
        hold(accessible, fan, now, two, three)
    assert hold(accessible, fan, now, one, two)


# -- standing places ------------------------------------------------------------------------------


@pytest.fixture
def floor(now):
    return make_event(now, plan=make_plan(standing=10))


def test_any_free_places_of_a_standing_section(floor, fan, now):
    held = places(floor, fan, now, 3)

    assert {seat["section"] for seat in held.seats} == {"F"}
    assert len(held.seats) == 3
    assert held.reservation.total == sum(seat["price"] for seat in held.seats) > 0


def test_places_run_out_all_or_none(floor, fan, rival, now):
    places(floor, fan, now, 4)
    places(floor, rival, now, 4)

    with pytest.raises(errors.NotEnoughPlaces):
        places(floor, make_user(password=None), now, 3)
    assert places(floor, make_user(password=None), now, 2)


def test_places_are_only_in_standing_sections_of_the_event(floor, fan, now):
    for section in ("A", "X", ""):
        with pytest.raises(errors.NotEnoughPlaces):
            places(floor, fan, now, 1, section=section)
    with pytest.raises(NotFound):
        places(type(floor)(pk=0), fan, now, 1)


def test_seats_know_how_far_they_are_from_the_middle_of_the_stage(house):
    by_label = {f"{s.place.row}-{s.place.number}": s.distance for s in house.seats.all()}

    assert by_label["1-5"] == 20
    assert by_label["1-1"] == by_label["1-9"] == 82
    assert by_label["5-5"] == 100


def test_the_farthest_are_found_too(house, fan, now, monkeypatch):
    """When nothing fits among the nearest, all are looked at."""
    monkeypatch.setattr(hold_locks, "NEAR", 3)
    Seat.objects.filter(event=house, place__row="1", place__number__in=[4, 6]).update(state="sold")

    assert len(best(house, fan, now, 9).seats) == 9

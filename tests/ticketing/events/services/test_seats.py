"""Seats are made from the plan, held back and released; all or none."""

import pytest

from tests.making import make_event, make_plan, seat_ids
from ticketing.core.errors import IllegalMove, NotFound
from ticketing.events import services
from ticketing.events.errors import GradesMissing, SeatsExist
from ticketing.events.models import EventChange, Grade, Seat

State = Seat.State


def test_every_place_of_the_plan_becomes_a_seat(db, operator, now):
    event = make_event(now, plan=make_plan(rows=3, seats_per_row=4, standing=5), seats=False)

    made = services.create_seats(event_id=event.pk, by=operator, now=now)

    seats = Seat.objects.filter(event=event)
    assert made == seats.count() == 17
    assert {seat.grade.code for seat in seats.filter(section__code="F")} == {"F"}
    assert set(seats.values_list("state", flat=True)) == {State.AVAILABLE}
    assert EventChange.objects.get(event=event).after == "17"


def test_the_events_of_other_tests_have_the_same_seats(db, now):
    """`make_event` makes those of the usual plan by itself, which is faster."""
    by_test, by_service = make_event(now), make_event(now, seats=False)
    services.create_seats(event_id=by_service.pk, by=None, now=now)

    place = ("section__code", "place__row", "place__number")
    rows = [
        [*event.seats.order_by("pk").values_list(*place, "grade__code", "state", "distance")]
        for event in (by_test, by_service)
    ]
    changes = [
        EventChange.objects.filter(event=event).values_list("what", "before", "after", "at").get()
        for event in (by_test, by_service)
    ]
    assert (len(rows[0]), rows[0], changes[0]) == (12, rows[1], changes[1])


def test_twenty_thousand_seats_take_a_handful_of_statements(
    db, operator, now, django_assert_max_num_queries
):
    event = make_event(now, plan=make_plan(rows=100, seats_per_row=200), seats=False)

    with django_assert_max_num_queries(16):
        assert services.create_seats(event_id=event.pk, by=operator, now=now) == 20_000


def test_seats_are_made_once(event, operator, now):
    with pytest.raises(SeatsExist):
        services.create_seats(event_id=event.pk, by=operator, now=now)


def test_a_grade_without_a_price_is_named(db, operator, now):
    event = make_event(now, seats=False)
    Grade.objects.filter(event=event, code="S").delete()

    with pytest.raises(GradesMissing, match="S") as refusal:
        services.create_seats(event_id=event.pk, by=operator, now=now)

    assert refusal.value.details == {"codes": "S"}
    assert not event.seats.exists()


def test_seats_are_held_back_and_released(event, operator, now):
    two = seat_ids(event)[:2]

    services.block_seats(event_id=event.pk, seat_ids=two, by=operator, reason="camera", now=now)
    assert set(event.seats.filter(state=State.BLOCKED).values_list("pk", flat=True)) == set(two)

    services.release_seats(event_id=event.pk, seat_ids=two, by=operator, reason="", now=now)
    assert not event.seats.exclude(state=State.AVAILABLE).exists()
    assert EventChange.objects.filter(event=event, what="seats 2").count() == 2


def test_one_sold_seat_refuses_the_whole_block(event, operator, now):
    two = seat_ids(event)[:2]
    event.seats.filter(pk=two[1]).update(state=State.SOLD)

    with pytest.raises(IllegalMove):
        services.block_seats(event_id=event.pk, seat_ids=two, by=operator, reason="", now=now)

    assert event.seats.get(pk=two[0]).state == State.AVAILABLE


def test_releasing_can_not_free_a_sold_seat(event, operator, now):
    """The state machine lets a refund free a sold seat; an operator's release must not."""
    (seat, *_) = seat_ids(event)
    event.seats.filter(pk=seat).update(state=State.SOLD)

    with pytest.raises(IllegalMove):
        services.release_seats(event_id=event.pk, seat_ids=[seat], by=operator, reason="", now=now)


def test_seats_of_another_event_are_not_found(event, operator, now):
    other = make_event(now)

    with pytest.raises(NotFound):
        services.block_seats(
            event_id=event.pk, seat_ids=seat_ids(other)[:1], by=operator, reason="", now=now
        )

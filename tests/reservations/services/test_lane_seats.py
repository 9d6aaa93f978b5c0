"""People of a lane hold only what their lane may buy; other events pay nothing for it."""

from datetime import timedelta

import pytest

from tests.making import make_event, make_plan
from tests.reservations.acting import best, hold, places
from tests.waiting_queue.lanes import add_codes, add_lane
from ticketing.events.models import Section
from waiting_queue import services as queue
from waiting_queue.errors import NotForLane
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def event(db, now):
    return make_event(now, plan=make_plan(standing=5))


@pytest.fixture
def line(event, now):
    line = SaleQueue.objects.create(
        event=event, opens_at=now - timedelta(hours=1), admit_per_second=0
    )
    return queue.move_queue(event_id=line.pk, to="open", by=None, now=now)


def come_in(line, fan, now, **limits):
    lane = add_lane(line, now, limits=limits)
    queue.tick_open_queues(now=now)
    [code] = add_codes(lane, now)
    joined = queue.join_lane(event_id=line.pk, person=str(fan.pk), now=now, code=code)
    assert joined.state == "admitted"


def seat_of(event, grade):
    return event.seats.filter(grade__code=grade).values_list("pk", flat=True)[0]


def test_only_seats_of_the_lanes_grades_can_be_held(event, line, fan, now):
    come_in(line, fan, now, grades=[event.grades.get(code="S")])

    with pytest.raises(NotForLane) as refused:
        hold(event, fan, now, seat_of(event, "S"), seat_of(event, "R"))
    assert refused.value.details == {"grades": ["S"], "sections": []}
    with pytest.raises(NotForLane):
        best(event, fan, now, 1, "R")
    assert best(event, fan, now, 1, "S").is_new
    assert hold(event, fan, now, event.seats.filter(grade__code="S", state="available")[0].pk)


def test_only_seats_of_the_lanes_blocks_can_be_held(event, line, fan, now):
    come_in(line, fan, now, sections=[Section.objects.get(code="A", plan=event.plan)])

    with pytest.raises(NotForLane):
        places(event, fan, now, 1)
    assert hold(event, fan, now, seat_of(event, "R")).is_new


def test_everybodys_lane_is_not_limited_by_others(event, line, fan, now):
    add_lane(line, now, limits={"grades": [event.grades.get(code="S")]})
    queue.tick_open_queues(now=now)
    queue.join(event_id=line.pk, person=str(fan.pk), now=now)

    assert hold(event, fan, now, seat_of(event, "R")).is_new


def test_a_hold_without_lanes_costs_no_further_statement(
    event, line, fan, now, django_assert_num_queries
):
    queue.join(event_id=line.pk, person=str(fan.pk), now=now)
    one, other = event.seats.filter(grade__code="R").values_list("pk", flat=True)[:2]
    hold(event, fan, now, one)  # the event's rules are known from now on

    with django_assert_num_queries(1):
        hold(event, fan, now, other)

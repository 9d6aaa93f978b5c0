"""Seats are for people whose turn it is; where there is no queue, for everybody."""

from datetime import timedelta

import pytest

from reservations import services
from reservations.models import Reservation
from tests.making import seat_ids
from tests.reservations.acting import hold
from ticketing.core import redis
from ticketing.core.ttl_cache import clear_ttl_caches
from waiting_queue import services as queue
from waiting_queue.errors import NotAdmitted, QueueNotOpen, QueueUnavailable
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def line(event, now):
    return SaleQueue.objects.create(
        event=event, opens_at=now + timedelta(hours=1), admit_per_second=0
    )


@pytest.fixture
def open_line(line, now):
    return queue.move_queue(event_id=line.pk, to="open", by=None, now=now)


def come_in(event, fan, now):
    return queue.join(event_id=event.pk, person=str(fan.pk), now=now)


def test_who_is_inside_may_hold(event, fan, now, open_line):
    assert come_in(event, fan, now).state == "admitted"

    assert hold(event, fan, now, seat_ids(event)[0])


def test_who_is_not_inside_may_not(event, fan, now, open_line, django_assert_num_queries):
    one, *_ = seat_ids(event)

    with django_assert_num_queries(0), pytest.raises(NotAdmitted):
        hold(event, fan, now, one)


def test_a_queue_that_has_not_begun_lets_nobody_in(event, fan, now, line):
    with pytest.raises(QueueNotOpen):
        hold(event, fan, now, seat_ids(event)[0])


def test_when_the_queue_is_closed_what_is_left_is_sold_openly(event, fan, now, open_line):
    queue.move_queue(event_id=event.pk, to="closed", by=None, now=now)
    queue.tick_open_queues(now=now)

    assert hold(event, fan, now, seat_ids(event)[0]).is_new


def test_a_line_that_redis_lost_is_being_restored(event, fan, now, open_line):
    come_in(event, fan, now)
    redis.client().flushdb()

    with pytest.raises(QueueUnavailable):
        hold(event, fan, now, seat_ids(event)[0])


def test_without_a_queue_the_sale_is_open_and_that_is_not_asked_every_time(
    event, fan, now, django_assert_num_queries
):
    one, two, three, *_ = seat_ids(event)
    hold(event, fan, now, three)
    clear_ttl_caches()

    # The hold; whether there is a line and an open sale, what the event asks, and whom it asks.
    with django_assert_num_queries(5):
        hold(event, fan, now, one)
    with django_assert_num_queries(1):
        hold(event, fan, now, two)


def test_a_queue_that_is_made_later_counts_within_a_second(event, fan, now):
    hold(event, fan, now, seat_ids(event)[0])
    SaleQueue.objects.create(event=event, opens_at=now + timedelta(hours=1))
    clear_ttl_caches()

    with pytest.raises(QueueNotOpen):
        hold(event, fan, now, seat_ids(event)[1])


def test_holding_renews_the_pass(event, fan, now, open_line):
    come_in(event, fan, now)
    later = now + timedelta(seconds=200)

    hold(event, fan, later, seat_ids(event)[0])

    found = queue.standing(event_id=event.pk, person=str(fan.pk), now=later)
    assert found.deadline_ms == int((later + timedelta(seconds=300)).timestamp() * 1000)


def test_paying_ends_the_visit_and_the_place_goes_to_the_next(event, fan, now, open_line):
    come_in(event, fan, now)
    held = hold(event, fan, now, seat_ids(event)[0]).reservation
    services.extend_for_payment(code=held.code, fan_id=fan.pk, now=now)

    services.confirm(code=held.code, now=now)

    found = queue.standing(event_id=event.pk, person=str(fan.pk), now=now)
    assert found.state == "completed"


@pytest.mark.parametrize("how", ["leave", "block"])
def test_whoever_is_out_of_the_queue_gives_back_what_they_hold(
    event, fan, rival, operator, now, open_line, how
):
    for person in (fan, rival):
        come_in(event, person, now)
    mine, theirs = (
        hold(event, person, now, seat).reservation
        for person, seat in zip((fan, rival), seat_ids(event), strict=False)
    )
    later = now + timedelta(seconds=1)
    whom = {"event_id": event.pk, "person": str(fan.pk), "now": later}
    if how == "leave":
        queue.leave(**whom)
    else:
        queue.block(**whom, by=operator, why="robot")
    queue.drain_journals()

    assert services.release_abandoned_holds(now=later) == 1
    assert services.release_abandoned_holds(now=later) == 0

    mine.refresh_from_db()
    theirs.refresh_from_db()
    assert (mine.state, theirs.state) == ("released", "held")


def test_who_left_and_came_back_keeps_what_they_chose_since(event, fan, now, open_line):
    come_in(event, fan, now)
    queue.leave(event_id=event.pk, person=str(fan.pk), now=now)
    come_in(event, fan, now)
    hold(event, fan, now + timedelta(seconds=1), seat_ids(event)[0])
    queue.drain_journals()

    assert services.release_abandoned_holds(now=now + timedelta(seconds=2)) == 0


def test_leaving_gives_everything_back(event, fan, now, open_line):
    come_in(event, fan, now)
    for seat in seat_ids(event)[:2]:
        hold(event, fan, now, seat)

    assert services.leave(event_id=event.pk, fan_id=fan.pk, now=now) == 2

    assert set(Reservation.objects.values_list("state", flat=True)) == {"released"}
    found = queue.standing(event_id=event.pk, person=str(fan.pk), now=now)
    assert found.state == "left"


# -- places inside of people who have bought -------------------------------------------------------


def buy(event, fan, now):
    held = hold(event, fan, now, seat_ids(event)[0])
    services.extend_for_payment(code=held.reservation.code, fan_id=fan.pk, now=now)
    services.confirm(code=held.reservation.code, now=now)


def state_in_queue(event, fan, now):
    return queue.standing(event_id=event.pk, person=str(fan.pk), now=now).state


@pytest.fixture
def unheard(event, fan, now, open_line, monkeypatch):
    """A purchase of which Redis did not hear."""
    come_in(event, fan, now)
    with monkeypatch.context() as patch:
        patch.setattr(queue, "complete", lambda **_: None)
        buy(event, fan, now + timedelta(seconds=1))
    assert state_in_queue(event, fan, now) == "admitted"


def test_the_place_of_a_buyer_is_freed_even_if_redis_did_not_hear_of_it(event, fan, now, unheard):
    assert services.complete_finished_passes(now=now) == 1

    assert state_in_queue(event, fan, now) == "completed"
    assert services.complete_finished_passes(now=now) == 0


def test_after_a_rebuild_a_buyer_takes_no_place_inside(event, fan, now, unheard):
    queue.drain_journals()
    redis.queue_client().flushdb()
    queue.tick_open_queues(now=now + timedelta(seconds=2))
    assert state_in_queue(event, fan, now) == "admitted"

    services.complete_finished_passes(now=now + timedelta(seconds=3))

    assert state_in_queue(event, fan, now) == "completed"


def test_a_buyer_who_comes_in_again_may_stay(event, fan, now, open_line):
    come_in(event, fan, now)
    buy(event, fan, now + timedelta(seconds=1))
    come_in(event, fan, now + timedelta(seconds=10))

    assert services.complete_finished_passes(now=now + timedelta(seconds=11)) == 0
    assert state_in_queue(event, fan, now + timedelta(seconds=11)) == "admitted"

"""The line turns into the list: who was in it when it sold out keeps their order."""

from datetime import timedelta

import pytest

from reservations import services
from reservations.models import StandbyList
from reservations.selectors import standby
from tests.making import make_user
from tests.reservations.standby.acting import joined, refunded, states_of
from waiting_queue import errors as queue_errors
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def line(event, orders, operator, now):
    """A line in front of the sale that nobody is called from."""
    queue.create_queue(event_id=event.pk, by=operator, now=now, opens_at=now, admit_per_second=0.1)
    opened = {"by": operator, "now": now, "why": ""}
    return queue.move_queue(event_id=event.pk, to=SaleQueue.State.OPEN, **opened)


def in_line(event, now):
    fan = make_user(password=None)
    queue.join(event_id=event.pk, person=str(fan.pk), now=now)
    return fan


def places(*entries):
    return [standby.place_of(entry) for entry in entries]


def test_the_order_is_that_of_the_numbers_however_they_join(event, line, now):
    one, two, three = (in_line(event, now) for _ in range(3))

    third, first, second = (joined(event, now, fan=fan) for fan in (three, one, two))

    assert places(first, second, third) == [1, 2, 3]


def test_later_comers_follow_by_arrival_also_with_a_number(event, line, now):
    early = in_line(event, now)
    services.process_returned_seats(now=now)
    stranger = joined(event, now)
    late = joined(event, now, fan=in_line(event, now))

    first = joined(event, now + timedelta(minutes=5), fan=early)

    assert places(first, stranger, late) == [1, 2, 3]
    assert StandbyList.objects.get().last_number == 1


def test_the_place_stays_when_the_line_is_left(event, line, now):
    one, two = in_line(event, now), in_line(event, now)
    first, second = joined(event, now, fan=one), joined(event, now, fan=two)
    queue.leave(event_id=event.pk, person=str(one.pk), now=now)
    later = joined(event, now)
    order = list(standby.waiting_entries(event.pk))

    assert order == [first, second, later]


def test_offers_follow_that_order(event, line, orders, now):
    one, two = in_line(event, now), in_line(event, now)
    second, first = joined(event, now, fan=two), joined(event, now, fan=one)
    refunded(now, orders[0])

    services.process_returned_seats(now=now)

    assert states_of(first, second) == ["offered", "waiting"]


def test_who_is_blocked_can_not_join(event, line, operator, now):
    fan = in_line(event, now)
    queue.block(event_id=event.pk, person=str(fan.pk), by=operator, why="bot", now=now)

    with pytest.raises(queue_errors.Blocked):
        joined(event, now, fan=fan)

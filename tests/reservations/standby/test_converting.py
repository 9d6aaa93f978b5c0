"""Sold out: with one press a place in line becomes a standby place in the same order."""

import pytest
from django.urls import reverse

from reservations import services
from reservations.models import StandbyEntry
from reservations.models.standby import LATER
from tests.making import make_user
from tests.race import together
from tests.reservations.standby.acting import joined
from ticketing.events.models import Event
from waiting_queue import services as queue
from waiting_queue import store
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 6


@pytest.fixture
def line(event, orders, operator, now):
    """An open line in front of a sale that is sold out."""
    queue.create_queue(event_id=event.pk, by=operator, now=now, opens_at=now)
    return queue.move_queue(event_id=event.pk, to=SaleQueue.State.OPEN, by=operator, now=now)


def in_line(event, now):
    fan = make_user()
    queue.join(event_id=event.pk, person=str(fan.pk), now=now)
    return fan


def standing_of(event, fan, now):
    return store.run(store.peek(event.pk, str(fan.pk), now)).state


def order(event):
    return list(StandbyEntry.objects.filter(event=event).values_list("fan_id", flat=True))


def test_the_place_in_line_is_now_on_the_list(event, line, now):
    fan = in_line(event, now)

    entry = joined(event, now, fan=fan, quantity=2)

    assert (entry.turn, entry.quantity) == (1, 2)
    assert standing_of(event, fan, now) == "left"


def test_pressing_again_changes_nothing(event, line, now):
    fan = in_line(event, now)
    first = joined(event, now, fan=fan)

    assert joined(event, now, fan=fan) == first
    assert StandbyEntry.objects.get().turn == 1


def test_while_seats_are_on_sale_both_places_are_kept(event, line, now):
    fan = in_line(event, now)
    joined(event, now)  # the list is there
    Event.objects.filter(pk=event.pk).update(state="on_sale")

    joined(event, now, fan=fan)

    assert standing_of(event, fan, now) == "waiting"


def test_somebody_inside_keeps_what_they_hold(event, line, now):
    """They ask the list for more seats; leaving would release those that they hold."""
    fan = make_user(password=None)
    seat = event.seats.first()
    Event.objects.filter(pk=event.pk).update(state="on_sale")
    event.seats.filter(pk=seat.pk).update(state="available")
    SaleQueue.objects.update(admit_per_second=0)
    queue.tick_open_queues(now=now)
    queue.join(event_id=event.pk, person=str(fan.pk), now=now)
    inside = standing_of(event, fan, now)
    Event.objects.filter(pk=event.pk).update(state="sold_out")

    joined(event, now, fan=fan)

    assert (inside, standing_of(event, fan, now)) == ("admitted", "admitted")


def test_many_presses_of_one_person_at_once_keep_the_place(event, line, now):
    fan = in_line(event, now)

    together(MANY, lambda _: joined(event, now, fan=fan))

    assert [entry.turn for entry in StandbyEntry.objects.all()] == [1]
    assert standing_of(event, fan, now) == "left"


def test_everybody_pressing_at_once_keeps_the_order_of_the_line(event, line, now):
    fans = [in_line(event, now) for _ in range(MANY)]

    together(MANY, lambda number: joined(event, now, fan=fans[MANY - 1 - number]))

    assert order(event) == [fan.pk for fan in fans]


def test_control_who_left_the_line_first_is_behind(event, line, now):
    first, second = in_line(event, now), in_line(event, now)
    queue.leave(event_id=event.pk, person=str(first.pk), now=now)

    joined(event, now, fan=first)
    joined(event, now, fan=second)

    assert order(event) == [second.pk, first.pk]
    assert StandbyEntry.objects.get(fan=first).turn == LATER


def test_the_waiting_page_asks_for_the_number_of_seats_and_one_press_does_it(
    event, line, client, now
):
    fan = in_line(event, now)
    queue.tick_open_queues(now=now)
    client.force_login(fan)

    page = client.get(reverse("queue:line", args=[event.pk])).content.decode()
    answer = client.post(
        reverse("reservations:join_standby", args=[event.pk]), {"quantity": 3, "grade": ""}
    )

    assert 'name="quantity"' in page
    assert reverse("reservations:join_standby", args=[event.pk]) in page
    assert answer.url == reverse("reservations:standby", args=[event.pk])
    assert (StandbyEntry.objects.get().turn, StandbyEntry.objects.get().quantity) == (1, 3)


def test_who_is_not_in_line_is_led_to_the_list_instead_of_the_line(event, line, client, now):
    queue.tick_open_queues(now=now)
    client.force_login(make_user())

    page = client.get(reverse("queue:line", args=[event.pk])).content.decode()

    assert reverse("reservations:standby", args=[event.pk]) in page
    assert f'action="{reverse("queue:line", args=[event.pk])}"' not in page


def test_seats_that_come_back_are_offered_in_the_order_of_the_line(event, line, orders, now):
    fans = [in_line(event, now) for _ in range(3)]
    for fan in reversed(fans):
        joined(event, now, fan=fan)
    services.refund(code=orders[0].code, now=now)

    services.process_returned_seats(now=now)

    assert StandbyEntry.objects.get(state="offered").fan_id == fans[0].pk

"""Admission follows the stock: nobody is called whom no seat is left for."""

import pytest

from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.events.models import Event, Seat
from ticketing.events.selectors import free_seats_up_to
from waiting_queue import services
from waiting_queue.models import SaleQueue
from waiting_queue.services import stock
from waiting_queue.services.signals import holders_wanted

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State


@pytest.fixture(autouse=True)
def nothing_learnt(monkeypatch):
    monkeypatch.setattr(stock, "_baskets", {})


@pytest.fixture
def line(queue, operator, now):
    """Open for a hundred, without a rate; 20 people wait. The event has 12 seats."""
    SaleQueue.objects.update(max_inside=100, admit_per_second=0, stock_factor=None)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    services.move_queue(event_id=queue.pk, to=State.PAUSED, by=operator, now=now)
    join_all(queue, [str(person) for person in range(1, 21)], now)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)
    return queue


def take(event_id, count, state="sold"):
    free = Seat.objects.filter(event_id=event_id, state="available").order_by("pk")
    Seat.objects.filter(pk__in=list(free.values_list("pk", flat=True)[:count])).update(state=state)


def called(line, at):
    return len(services.tick_open_queues(now=at)[line.pk].called)


def test_people_are_called_for_the_seats_there_are(line, now):
    """Two seats each are assumed: 12 seats are for six."""
    assert called(line, now + seconds(1)) == 6
    assert called(line, now + seconds(2)) == 0


def test_nobody_is_called_when_no_seat_is_left(line, now):
    take(line.pk, 12, "held")

    assert called(line, now + seconds(1)) == 0


def test_for_the_last_seat_one_person_is_called(line, now):
    take(line.pk, 11)

    assert called(line, now + seconds(1)) == 1
    assert called(line, now + seconds(2)) == 0


def test_a_seat_that_is_returned_calls_the_next(line, now):
    take(line.pk, 12)
    before = called(line, now + seconds(1))
    Seat.objects.filter(pk=Seat.objects.first().pk).update(state="available")

    assert (before, called(line, now + seconds(2))) == (0, 1)


def test_people_inside_who_have_their_seats_leave_room_for_others(line, now):
    def three(event_ids, **_):
        return dict.fromkeys(event_ids, 3)

    called(line, now + seconds(1))
    take(line.pk, 6, "held")
    holders_wanted.connect(three)
    try:
        """Six seats are free for three; of six inside, three have theirs: nobody more."""
        assert called(line, now + seconds(2)) == 0
        take(line.pk, 0)
        Seat.objects.filter(state="held").update(state="available")
        assert called(line, now + seconds(3)) == 3
    finally:
        holders_wanted.disconnect(three)


def test_the_factor_adapts_to_what_people_buy(line, now):
    """200 people bought a seat each: the 12 seats left are for twelve, less the assumption."""
    stock.learn_basket(line.pk, done=0)
    before = stock.places_inside(SaleQueue.objects.get())
    take(line.pk, 0)
    stock._baskets[line.pk] = stock.average_basket(sold=200, done=200)

    assert before == 6
    assert stock.places_inside(SaleQueue.objects.get()) == 11


def test_the_tick_itself_learns(line, now):
    services.tick_open_queues(now=now + seconds(1))

    assert line.pk in stock._baskets


def test_however_few_people_buy_one_comes_in_for_a_seat(line, now):
    stock._baskets[line.pk] = stock.average_basket(sold=0, done=10_000)

    assert stock.places_inside(SaleQueue.objects.get()) == 12


def test_a_factor_set_by_hand_counts_alone(line, now):
    SaleQueue.objects.update(stock_factor=1.5)

    assert called(line, now + seconds(1)) == 18


def test_but_not_without_a_seat(line, now):
    SaleQueue.objects.update(stock_factor=1000)
    take(line.pk, 12)

    assert called(line, now + seconds(1)) == 0


def test_many_seats_are_not_counted_to_the_end(line, django_assert_num_queries, now):
    SaleQueue.objects.update(max_inside=2)
    queue = SaleQueue.objects.select_related("event").get()

    with django_assert_num_queries(1) as seen:
        assert stock.places_inside(queue) == 2
    assert "LIMIT asked.most" in seen.captured_queries[0]["sql"]
    assert free_seats_up_to(line.pk, 4) == 4  # of twelve


@pytest.mark.parametrize("state", ["announced", "paused", "sold_out"])
def test_a_sale_that_does_not_sell_admits_nobody(line, now, state):
    Event.objects.filter(pk=line.pk).update(state=state)

    assert called(line, now + seconds(1)) == 0


def test_nor_does_joining_an_empty_line_lead_inside(queue, operator, now):
    SaleQueue.objects.update(admit_per_second=0)
    take(queue.pk, 12)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)

    assert services.join(event_id=queue.pk, person="1", now=now).state == "waiting"


def test_control_with_a_seat_it_does(queue, operator, now):
    SaleQueue.objects.update(admit_per_second=0)
    services.move_queue(event_id=queue.pk, to=State.OPEN, by=operator, now=now)

    assert services.join(event_id=queue.pk, person="1", now=now).state == "admitted"


@pytest.mark.parametrize("state", ["closed", "cancelled"])
def test_the_line_of_a_sale_that_ended_is_closed(line, now, state):
    Event.objects.filter(pk=line.pk).update(state=state)

    services.tick_open_queues(now=now + seconds(1))

    line.refresh_from_db()
    assert (line.state, line.epoch) == ("closed", "")
    assert line.changes.first().why == "sale_over"


def test_a_queue_and_its_sale_open_in_the_same_tick(queue, now):
    Event.objects.filter(pk=queue.pk).update(state="announced", on_sale_at=now)
    SaleQueue.objects.update(lobby_opens_at=None, opens_at=now, admit_per_second=0)

    services.tick_open_queues(now=now)

    assert Event.objects.get().state == "on_sale"
    assert services.join(event_id=queue.pk, person="1", now=now).state == "admitted"

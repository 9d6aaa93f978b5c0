"""A sale says by itself that it is sold out, and that seats are on sale again."""

from threading import Barrier

import pytest

from reservations import services
from reservations.models import StandbyList
from reservations.services import sold_out
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.race import together
from tests.reservations.acting import hold
from tests.reservations.standby.acting import all_sold, bought, joined, refunded
from ticketing.events.models import Event, EventChange
from ticketing.events.services import events as event_services
from ticketing.events.services import move_event, release_seats
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 6


@pytest.fixture
def event(transactional_db, now):
    return make_event(now, plan=make_plan(rows=1, seats_per_row=4))


@pytest.fixture
def orders(event, now):
    """All seats are sold, and nobody has said so yet."""
    sold = all_sold(event, now)
    Event.objects.filter(pk=event.pk).update(state="on_sale")
    return sold


def state_after_update(event, now):
    services.update_sold_out(now=now)
    event.refresh_from_db()
    return event.state


def test_with_the_last_seat_sold_it_is_sold_out(event, now):
    *seats, last = seat_ids(event)
    for seat in seats:
        bought(event, make_user(password=None), now, seat)
    before = state_after_update(event, now)
    bought(event, make_user(password=None), now, last)

    assert (before, state_after_update(event, now)) == ("on_sale", "sold_out")
    change = EventChange.objects.get(event=event, what="state")
    assert (change.before, change.after, change.by) == ("on_sale", "sold_out", None)


def test_while_a_seat_is_held_it_may_come_back(event, now):
    *seats, last = seat_ids(event)
    for seat in seats:
        bought(event, make_user(password=None), now, seat)
    hold(event, make_user(password=None), now, last)

    assert state_after_update(event, now) == "on_sale"


def test_seats_that_are_all_held_back_were_not_sold(event, now):
    event.seats.update(state="blocked")

    assert state_after_update(event, now) == "on_sale"


def test_a_seat_back_on_open_sale_opens_it_again(event, orders, now):
    Event.objects.filter(pk=event.pk).update(returns="at_once")
    services.update_sold_out(now=now)
    refunded(now, orders[0])

    assert state_after_update(event, now) == "on_sale"
    assert hold(event, make_user(password=None), now, orders[0].seats.get().seat_id).is_new


def test_so_does_a_block_that_is_released(event, orders, operator, now):
    seat = orders[0].seats.get().seat_id
    services.update_sold_out(now=now)
    event.seats.filter(pk=seat).update(state="blocked")
    release_seats(event_id=event.pk, seat_ids=[seat], by=operator, reason="more", now=now)

    assert state_after_update(event, now) == "on_sale"


def test_a_seat_kept_for_the_list_does_not(event, orders, now):
    services.update_sold_out(now=now)
    joined(event, now, quantity=2)
    refunded(now, orders[0])

    assert state_after_update(event, now) == "sold_out"


def test_offers_to_the_list_do_not_keep_it_open(event, orders, now):
    """Seats that were released are sold again while somebody still thinks about an offer."""
    services.update_sold_out(now=now)
    joined(event, now)
    refunded(now, orders[0])
    services.process_returned_seats(now=now)
    Event.objects.filter(pk=event.pk).update(state="on_sale")

    assert state_after_update(event, now) == "sold_out"


def test_what_an_operator_called_sold_out_stays_so(event, operator, now):
    move_event(event_id=event.pk, to=Event.State.SOLD_OUT, by=operator, now=now)

    assert state_after_update(event, now) == "sold_out"


def test_the_list_opens_with_the_last_number_of_the_line(event, orders, now):
    queue.create_queue(event_id=event.pk, by=None, now=now, opens_at=now)
    queue.move_queue(event_id=event.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    for person in ("1", "2"):
        queue.join(event_id=event.pk, person=person, now=now)

    services.update_sold_out(now=now)

    assert StandbyList.objects.get().last_number == 2


def test_an_event_whose_seats_go_on_sale_at_once_has_no_list(event, orders, now):
    Event.objects.filter(pk=event.pk).update(returns="at_once")

    assert state_after_update(event, now) == "sold_out"
    assert not StandbyList.objects.exists()


# -- at the same moment ---------------------------------------------------------------------------


def test_of_many_workers_one_says_so(event, orders, now):
    together(MANY, lambda _: services.update_sold_out(now=now))

    assert EventChange.objects.filter(event=event, what="state").count() == 1


def test_control_without_the_lock_all_of_them_do(event, orders, now, monkeypatch):
    all_have_read = Barrier(MANY)

    def without_lock(event_id):
        found = Event.objects.get(pk=event_id)
        all_have_read.wait(10)
        return found

    monkeypatch.setattr(sold_out, "event_for_update", without_lock)
    monkeypatch.setattr(event_services, "event_for_update", without_lock)

    together(MANY, lambda _: services.update_sold_out(now=now))

    assert EventChange.objects.filter(event=event, what="state").count() == MANY


def refund_during_the_move(event, orders, now, monkeypatch, guarded=True):
    """A refund is committed after the worker saw that all is sold, and before it says so."""
    Event.objects.filter(pk=event.pk).update(returns="at_once")
    lock = sold_out.event_for_update

    def refund_first(event_id):
        monkeypatch.setattr(sold_out, "event_for_update", lock)
        together(1, lambda _: refunded(now, orders[0]))
        return lock(event_id)

    monkeypatch.setattr(sold_out, "event_for_update", refund_first)
    if not guarded:
        monkeypatch.setattr(sold_out.events, "free_seats_up_to", lambda *_: 0)
    services.update_sold_out(now=now)
    event.refresh_from_db()
    return event.state


def test_a_seat_refunded_at_this_moment_is_on_sale(event, orders, now, monkeypatch):
    assert refund_during_the_move(event, orders, now, monkeypatch) == "on_sale"


def test_control_without_a_second_look_a_free_seat_is_called_sold_out(
    event, orders, now, monkeypatch
):
    assert refund_during_the_move(event, orders, now, monkeypatch, guarded=False) == "sold_out"


def test_refunds_and_workers_in_any_order_agree_after_the_next_run(event, orders, now):
    Event.objects.filter(pk=event.pk).update(returns="at_once")

    def work(number):
        if number % 2:
            return services.update_sold_out(now=now)
        return refunded(now, orders[number // 2])

    together(MANY, work)

    assert state_after_update(event, now) == "on_sale"

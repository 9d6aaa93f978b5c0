"""My orders: the list, one of them, its receipt, and giving it back with the fee shown first."""

from datetime import timedelta
from importlib import import_module
from uuid import uuid4

import pytest

from payments import services
from payments.models import Payment, Refund, RefundPolicy
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from reservations import services as reservations
from reservations.models import Reservation
from tests.making import make_event
from tests.payments.buyers import (
    Buyer,
    end_pending_refunds,
    seat_states,
    settle_in_background,
    work,
)
from ticketing.accounts.selectors import footer_documents
from ticketing.core import clock
from ticketing.events.models import Event
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


def order(buyer, rest=""):
    return f"/orders/{buyer.code}/{rest}"


def let_days_pass(buyer, days):
    """Since the order."""
    ago = buyer.now - timedelta(days=days)
    Payment.objects.update(created_at=ago, settled_at=ago)


def test_without_orders_the_page_says_so_and_leads_on(me):
    page = me.open("/orders/")

    assert "No orders yet." in page
    assert "To all events" in page


def test_the_list_has_what_was_bought_and_what_is_being_paid_only(me, event, fan, rival, now):
    Buyer(event, fan, now).buy()
    open_one = Buyer(event, fan, now, first=2)
    open_one.start()
    declined = Buyer(make_event(now), fan, now)
    declined.buy(Behaviour.REFUSE)
    theirs = Buyer(event, rival, now, first=4)
    theirs.buy()

    page = me.open("/orders/")

    assert page.count("orders__one") == 2
    assert "Paid</span>" in page
    assert "Not paid yet</span>" in page
    assert declined.code not in page
    assert theirs.code not in page
    assert 'href="/orders/">My orders</a>' in page


def test_korean_counts_tickets_as_booking_sites_do(me, paid):
    response = me.client.get("/orders/", headers={"accept-language": "ko"})

    assert "2매 ·" in response.content.decode()


def test_the_list_is_paged_and_costs_few_statements(
    me, event, fan, now, monkeypatch, django_assert_max_num_queries
):
    monkeypatch.setattr(import_module("payments.views.orders"), "ORDERS_A_PAGE", 2)
    Event.objects.update(seats_per_person=6)
    for first in (0, 2, 4):
        Buyer(event, fan, now, first=first).start()

    with django_assert_max_num_queries(6):
        page = me.open("/orders/")

    assert page.count("orders__one") == 2
    assert "Page 1 of 2" in page
    assert me.open("/orders/?page=2").count("orders__one") == 1


def test_an_order_shows_seats_money_terms_and_costs_few_statements(
    me, paid, django_assert_max_num_queries
):
    footer_documents()  # read once for all pages
    with django_assert_max_num_queries(6):
        page = me.open(order(paid))

    assert "Your seats" in page
    assert "Section A, row 1, seat 1" in page
    assert page.count("% fee</strong>") == 3
    assert f'href="{order(paid, "cancel/")}"' in page
    assert f'href="{order(paid, "receipt/")}"' in page
    assert "no-store" in me.response["Cache-Control"]


def test_the_receipt_can_be_printed(me, paid, django_assert_max_num_queries):
    with django_assert_max_num_queries(6):
        page = me.open(order(paid, "receipt/"))

    for words in (paid.code, paid.payment.number, "Ann", "Moonlight", "₩308,000", "Receipt"):
        assert words in page
    assert "data-print hidden" in page


def test_what_is_not_paid_has_no_receipt(me, buyer):
    buyer.start()

    me.open(order(buyer, "receipt/"))
    assert me.address == order(buyer)
    me.open(order(buyer, "cancel/"))
    assert me.address == order(buyer)


def test_a_hold_is_no_order(me, buyer):
    me.open(order(buyer))

    assert me.status == 404


# -- giving back -----------------------------------------------------------------------------------


def test_soon_after_the_order_cancelling_is_free(me, paid, django_assert_max_num_queries):
    footer_documents()
    with django_assert_max_num_queries(6):
        page = me.open(order(paid, "cancel/"))
    assert "<strong>Your refund</strong><strong>₩308,000</strong>" in page
    assert "Cancel without a fee" in page

    page = me.send(order(paid, "cancel/"))

    assert me.address == order(paid)
    assert "Refund in progress" in page or "Cancelled</span>" in page
    settle_in_background()
    page = me.open(order(paid))
    assert "Cancelled</span>" in page
    assert "−₩308,000" in page
    assert seat_states(paid) == {"available"}
    assert testing.net_charged(paid.payment.number) == 0


def test_a_button_pressed_again_says_the_same_and_no_refusal(me, paid):
    me.open(order(paid, "cancel/"))
    fee = me.fields(order(paid, "cancel/"))["fee"]
    first = me.send(order(paid, "cancel/"), fee=fee)

    again = me.send(order(paid, "cancel/"), fee=fee)

    assert me.address == order(paid)
    settle_in_background()
    again += me.open(order(paid))
    assert "can't be refunded" not in first + again
    assert "Cancelled</span>" in again
    assert "can't be refunded" not in me.open(order(paid, "cancel/"))
    assert "can't be refunded" in me.send(order(paid, "cancel/"), fee=1)
    assert Refund.objects.count() == 1


def sell_under(buyer, **terms):
    """As if the order had been sold under these terms."""
    Payment.objects.update(terms=RefundPolicy(**terms).terms)


def test_later_it_costs_the_fee_that_was_shown(me, paid):
    let_days_pass(paid, 8)
    page = me.open(order(paid, "cancel/"))
    assert "₩4,000 per ticket (at most 10%)" in page
    assert "Cancel for a fee of ₩8,000" in page

    me.send(order(paid, "cancel/"))
    settle_in_background()
    page = me.open(order(paid))

    assert "Fee kept: ₩8,000" in page
    assert "−₩300,000" in page
    assert testing.net_charged(paid.payment.number) == 8_000
    assert "<strong>Final amount</strong><strong>₩8,000" in me.open(order(paid, "receipt/"))


def test_one_seat_is_cancelled_and_the_other_stays(me, paid):
    first, second = paid.seats
    let_days_pass(paid, 8)
    page = me.open(f"{order(paid, 'cancel/')}?choose=1&seats={first}")
    assert "Cancel for a fee of ₩4,000" in page
    assert "Your other tickets stay valid." in page

    me.send(order(paid, "cancel/"), seats=str(first), choose="1")
    settle_in_background()
    page = me.open(order(paid))

    assert "Paid, partly cancelled" in page
    assert "<s>Section A, row 1, seat 1" in page
    assert "Total before cancellation" in page
    assert "−₩150,000" in page
    assert paid.reservation.tickets.get(seat=second).state == "valid"
    assert "Final amount</strong><strong>₩158,000" in me.open(order(paid, "receipt/"))
    assert "1 seat · <strong>₩158,000</strong>" in me.open("/orders/")


def test_other_seats_than_the_fee_was_shown_for_are_shown_anew(me, paid):
    let_days_pass(paid, 8)
    me.open(order(paid, "cancel/"))

    page = me.send(order(paid, "cancel/"), seats=str(paid.seats[0]), choose="1")

    assert "The cancellation fee has changed." in page
    assert "Cancel for a fee of ₩4,000" in page
    assert paid.payment.state == "succeeded"


def test_who_ticks_no_seat_cancels_nothing(me, paid):
    me.open(order(paid, "cancel/"))

    page = me.send(order(paid, "cancel/"), choose="1")

    assert "Choose at least one seat." in page
    assert "button--danger" not in page
    assert paid.payment.state == "succeeded"


@pytest.mark.parametrize("seat", ["x", "-1", str(10**12)])
def test_seats_of_others_cancel_nothing(me, paid, seat):
    me.open(order(paid, "cancel/"))

    me.send(order(paid, "cancel/"), seats=seat, choose="1")

    assert paid.payment.state == "succeeded"


def check_in(buyer, seat):
    ticket = buyer.reservation.tickets.get(seat=seat)
    scan = reservations.Scan(key=uuid4(), text=ticket.code)
    reservations.check_in(event_id=buyer.event.pk, scan=scan, by=buyer.fan, now=buyer.now)


def test_the_order_offers_to_cancel_what_can_be_cancelled(me, paid):
    assert "Cancel all or some seats" in me.open(order(paid))

    check_in(paid, paid.seats[0])
    assert ">Cancel seats</a>" in me.open(order(paid))

    check_in(paid, paid.seats[1])
    assert order(paid, "cancel/") not in me.open(order(paid))


def test_with_one_ticket_used_only_the_other_is_offered(me, paid):
    check_in(paid, paid.seats[0])

    page = me.open(order(paid, "cancel/"))

    assert "already checked in" in page
    assert page.count('name="seats"') == 1
    assert "<strong>Your refund</strong><strong>₩154,000" in page


def test_a_fee_that_changed_meanwhile_is_shown_anew_and_nothing_happens(me, paid):
    me.open(order(paid, "cancel/"))
    let_days_pass(paid, 8)

    page = me.send(order(paid, "cancel/"))

    assert "The cancellation fee has changed." in page
    assert "Cancel for a fee of ₩8,000" in page
    assert paid.reservation.state == "confirmed"


@pytest.mark.parametrize("fee", ["", "x", "-1", "9" * 30])
def test_a_fee_that_nobody_named_cancels_nothing(me, paid, fee):
    me.open(order(paid, "cancel/"))

    page = me.send(order(paid, "cancel/"), fee=fee)

    assert "The cancellation fee has changed." in page
    assert paid.payment.state == "succeeded"


def test_too_late_is_said_and_offered_no_more(me, paid):
    sell_under(paid, tiers=[[60, 10]])

    assert "can no longer be cancelled" in me.open(order(paid))
    assert "Cancel this order" not in me.page
    page = me.open(order(paid, "cancel/"))

    assert "It is too late to cancel these tickets." in page
    assert me.address == order(paid)


def test_where_nothing_would_come_back_there_is_no_button(me, paid):
    sell_under(paid, free_days=0, free_hours=0, tiers=[[0, 100]])

    page = me.open(order(paid, "cancel/"))

    assert "Nothing would be refunded" in page
    assert "button--danger" not in page


def test_a_pending_refund_is_shown_and_polled(me, buyer):
    buyer.buy(Behaviour.REFUND_PENDING, seconds=60)
    me.open(order(buyer, "cancel/"))

    page = me.send(order(buyer, "cancel/"))
    assert "Being refunded" in page
    assert "Refund in progress" in page
    assert "js/payments/watch" in page

    settle_in_background()
    end_pending_refunds()
    work(buyer.now + timedelta(minutes=5))
    assert "Cancelled</span>" in me.open(order(buyer))


def test_a_refund_that_is_refused_leaves_the_seats_and_says_so(me, buyer):
    buyer.buy(Behaviour.REFUND_REFUSED)
    me.open(order(buyer, "cancel/"))

    me.send(order(buyer, "cancel/"))
    settle_in_background()
    page = me.open(order(buyer))

    assert "The payment service refused this refund; nothing has changed." in page
    assert "Paid</span>" in page
    assert buyer.reservation.state == "confirmed"


def test_a_part_that_came_back_is_shown_and_the_seats_stay(me, paid):
    services.refund_payment(pk=paid.payment.pk, amount=8_000, why="kind", now=paid.now)

    page = me.open(order(paid))

    assert "Paid, partly refunded" in page
    assert "−₩8,000" in page
    assert "kind" not in page


def test_of_a_cancelled_event_everything_comes_back_by_itself(me, paid):
    Event.objects.update(state=Event.State.CANCELLED)
    let_days_pass(paid, 8)

    page = me.open(order(paid))
    assert "You will be refunded in full automatically" in page
    assert "Cancel this order" not in page
    assert "Cancel without a fee" in me.open(order(paid, "cancel/"))


def test_money_that_was_taken_for_nothing_is_shown_too(me, buyer):
    buyer.buy(Behaviour.WRONG_AMOUNT)
    work(buyer.now)
    assert Refund.objects.get().is_owed
    assert me.open(f"/payments/{buyer.payment.number}/")
    assert me.heading == "You have been refunded"

    page = me.open(order(buyer))

    assert "Not completed</span>" in page
    assert "Charged, not for these seats" in page
    assert "−₩309,000" in page


# -- after buying ----------------------------------------------------------------------------------


def test_after_buying_the_line_and_the_map_say_so(me, event, fan, now):
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    queue.join(event_id=event.pk, person=str(fan.pk), now=clock.now())
    Buyer(event, fan, clock.now()).buy()

    line = me.open(f"/events/{event.pk}/queue/")
    assert "You have bought your seats" in line
    assert 'class="button button--wide" href="/tickets/"' in line
    assert 'href="/orders/"' in line
    seats = me.open(f"/events/{event.pk}/seats/")
    assert "You have bought 2 seats for this event." in seats
    assert Reservation.objects.get().state == "confirmed"

"""The checkout page itself: nothing here asks the gateway."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db.models import F
from django.test import Client

from payments.models import Payment, RefundPolicy
from reservations.models import Reservation
from tests.payments.buyers import Buyer
from tests.payments.views.browser import BROWSER, Browser, begin, pay
from tests.waiting_queue.api.conftest import logged_in
from ticketing.accounts.selectors import footer_documents
from ticketing.accounts.templatetags import copies
from ticketing.core import clock

pytestmark = pytest.mark.django_db


def let_time_pass(**how_long):
    """For reservations, by moving them into the past."""
    ago = timedelta(**how_long)
    Reservation.objects.update(created_at=F("created_at") - ago, deadline=F("deadline") - ago)


def test_the_checkout_costs_few_statements(me, buyer, django_assert_max_num_queries):
    footer_documents()  # read once for all pages

    with django_assert_max_num_queries(6):
        me.open(pay(buyer))

    assert me.status == 200


def test_only_days_of_the_terms_are_copied_and_times_are_everybodys_own(
    me, stranger, buyer, event, rival, now
):
    """The time until which cancelling is free depends on when the page was opened."""
    other = Buyer(event, rival, now, first=4)
    pages = [me.open(pay(buyer)), stranger.open(pay(other))]

    copied = [dict(kept[1]).get("period") for kept in copies._copy._results]
    whole_days = {period for period in copied if period}
    assert whole_days
    assert all(period.is_whole_day for period in whole_days)
    for page in pages:
        assert page.count('class="terms__one"') > len(whole_days) + 1
        assert page.count("% fee</strong>") == 3


def test_the_checkout_says_what_is_bought_until_when_and_by_which_terms(me, buyer):
    page = me.open(pay(buyer))

    assert "Section A, row 1, seat 2" in page
    assert "<strong>₩308,000</strong>" in page
    assert 'role="timer"' in page
    assert "No fees are added." in page
    assert page.count("% fee</strong>") == 3  # beside the fixed amount
    assert 'name="agreed" value="1" required' in page


def test_the_terms_are_the_events_own(me, buyer):
    RefundPolicy.objects.create(event=buyer.event, free_days=0, tiers=[[5, 77]])

    page = me.open(pay(buyer))

    assert "77% fee" in page
    assert "10% fee" not in page


def test_terms_that_changed_meanwhile_are_shown_anew_and_nothing_is_begun(me, buyer):
    me.open(pay(buyer))
    RefundPolicy.objects.create(event=buyer.event, free_days=0, tiers=[[5, 77]])

    page = me.send(pay(buyer), agreed="1")

    assert "The cancellation terms have changed." in page
    assert "77% fee" in page
    assert not Payment.objects.exists()
    me.send(pay(buyer), agreed="1")
    assert Payment.objects.get().terms["tiers"] == [[5, 77]]


def test_who_did_not_tick_the_box_is_asked_to_and_nothing_is_begun(me, buyer):
    page = begin(me, buyer, agreed="")

    assert me.status == 400
    assert "Please agree to the cancellation terms" in page
    assert not Payment.objects.exists()


def test_a_page_that_was_open_for_too_long_is_shown_anew(me, buyer):
    me.open(pay(buyer))

    page = me.send(pay(buyer), token="qp_old.token", agreed="1")

    assert me.heading == "Check and pay"
    assert "This page was open for a long time." in page
    assert not Payment.objects.exists()


@pytest.mark.parametrize("wrong", [{"key": "x"}, {"key": ""}, {"token": "t" * 300}])
def test_what_can_not_be_read_begins_nothing(me, buyer, wrong):
    begin(me, buyer, **wrong)

    assert me.status == 400
    assert not Payment.objects.exists()


def test_when_the_time_is_up_the_page_says_so(me, event, fan):
    late = Buyer(event, fan, clock.now() - timedelta(seconds=400))

    page = me.open(pay(late))

    assert (me.status, me.heading) == (410, "The time for these seats is up")
    assert f'href="/events/{event.pk}/seats/">Choose seats' in page


def test_who_presses_too_late_is_told_and_not_charged(me, buyer):
    me.open(pay(buyer))
    let_time_pass(minutes=6)

    me.send(pay(buyer), agreed="1")

    assert me.heading == "The time for these seats is up"
    assert not Payment.objects.exists()


@pytest.mark.parametrize("address", ["/orders/", "/orders/X/pay/", "/payments/pay-1/"])
def test_who_is_not_logged_in_is_asked_to_and_comes_back(address, buyer):
    nobody = Browser()

    page = nobody.open(address)

    assert nobody.status == 401
    assert f"/accounts/log-in/?next={address}" in page.replace("%2F", "/")


def test_another_sites_form_does_nothing(buyer):
    strict = Client(enforce_csrf_checks=True, headers=BROWSER)
    strict.cookies["sessionid"] = logged_in(buyer.fan)
    wish = {"key": str(uuid4()), "token": buyer.token, "agreed": "1"}

    assert strict.post(pay(buyer), wish).status_code == 403
    assert not Payment.objects.exists()

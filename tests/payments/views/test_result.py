"""Every state of a payment and its reservation has an honest page; the rows are written by hand."""

import re
from datetime import timedelta
from itertools import product
from uuid import uuid4

import pytest

from payments.models import Payment, Refund, RefundPolicy
from reservations.models import Reservation
from ticketing.core import clock

pytestmark = pytest.mark.django_db
UNDER_WAY = ("pending", "prepared", "charging", "refunding")
CHARGED = {"succeeded", "refunding", "refunded", "partially_refunded"}
# Words that may stand only where they are true.
PROMISES = {
    "not charged": {"failed", "cancelled"},
    "Nothing was charged": {"failed", "cancelled"},
    "The seats are yours": {"succeeded"},
    "Your seats are safe": {"charging"},
    "refunded in full automatically": {"refunding"},
}


@pytest.fixture
def make(buyer):
    """A payment of the buyer's, and the reservation, in these states."""

    def make(state, held="paying", *, is_owed=False, minutes_left=4, **more):
        now = clock.now()
        Reservation.objects.filter(code=buyer.code).update(
            state=held,
            created_at=now - timedelta(minutes=20),
            deadline=now + timedelta(minutes=minutes_left),
        )
        reservation = buyer.reservation
        amount = reservation.total
        payment = Payment.objects.create(
            **{
                "payment_key": uuid4(),
                "reservation": reservation,
                "fan": buyer.fan,
                "amount": amount,
                "currency": "KRW",
                "state": state,
                "charged": amount if state in CHARGED else 0,
                "refunded": amount if state == "refunded" else 0,
                "created_at": now,
                "due_at": now if state in UNDER_WAY else None,
            }
            | more
        )
        if state.startswith("refund"):
            over = {"state": "done", "ended_at": now} if state == "refunded" else {}
            whose = {"payment": payment, "amount": amount, "why": "test", "created_at": now}
            Refund.objects.create(**whose, is_owed=is_owed, **over)
        return payment

    return make


def read(me, payment):
    return me.open(f"/payments/{payment.number}/")


@pytest.mark.parametrize("minutes_left", [4, -1])
def test_every_pair_of_states_has_a_page_without_false_promises(me, make, minutes_left):
    for state, held, is_owed in product(Payment.State, Reservation.State, [True, False]):
        if is_owed and state not in ("refunding", "refunded"):
            continue
        payment = make(state, held, is_owed=is_owed, minutes_left=minutes_left)

        page = read(me, payment)

        assert me.status == 200, (state, held)
        assert me.heading, (state, held)
        about = page[page.index("<main") : page.index("</main")]
        wrong = [words for words, states in PROMISES.items() if words in about]
        assert all(state in PROMISES[words] for words in wrong), (state, held, wrong)
        payment.refunds.all().delete()
        payment.delete()


def test_paid_shows_the_seats_the_code_and_what_comes_next(me, make, buyer):
    page = read(me, make("succeeded", "confirmed"))

    assert me.heading == "The seats are yours"
    title = " ".join(re.search(r"<title>(.*?)</title>", page, re.DOTALL)[1].split())
    assert title.startswith(f"The seats are yours · {buyer.event.title_en} ·")
    assert "Section A, row 1, seat 2" in page
    assert f"<strong>{buyer.code}</strong>" in page
    assert f'href="/orders/{buyer.code}/"' in page
    assert "What comes next" in page


def test_checking_says_that_seats_are_safe_and_polls(me, make):
    payment = make("charging")

    page = read(me, payment)

    assert me.heading == "Checking your payment"
    assert "You will not be charged twice" in page
    assert '<noscript><meta http-equiv="refresh" content="5"></noscript>' in page
    assert f'data-watch="/api/v1/payments/{payment.number}/"' in page
    assert f'data-socket="/ws/payments/{payment.number}/" data-state="CHARGING"' in page
    assert "js/payments/watch" in page
    assert "data-deadline" not in page
    watched = me.client.get(f"/api/v1/payments/{payment.number}/", headers={"accept": "*/*"})
    assert watched.json()["state"] == "CHARGING"


@pytest.mark.parametrize(
    ("code", "message", "words"),
    [
        ("REJECT_CARD_COMPANY", "odd", "Your card company declined the payment."),
        ("E042", "한도 초과입니다", "한도 초과입니다"),
        ("E042", "", "The payment service declined the payment."),
        ("never charged", "", "The card company did not answer, and nothing was charged."),
    ],
)
def test_failed_says_why_and_lets_one_try_again_with_a_new_key(me, make, code, message, words):
    payment = make("failed", "held", failure_code=code, failure_message=message)

    page = read(me, payment)

    assert me.heading == "Nothing was charged"
    assert words in page
    assert 'role="timer"' in page
    again = me.fields(f"/orders/{payment.reservation.code}/pay/")
    assert again["key"] != str(payment.payment_key)
    assert again["token"].startswith("qp_")


@pytest.mark.parametrize(
    ("state", "held", "minutes_left", "heading"),
    [
        ("pending", "paying", 4, "Not paid yet"),
        ("prepared", "paying", 4, "Not paid yet"),
        ("prepared", "paying", -1, "The time to pay is up"),
        ("failed", "held", -1, "Not paid in time"),
        ("failed", "expired", -1, "Not paid in time"),
        ("cancelled", "cancelled", -1, "Not paid in time"),
        ("failed", "released", 4, "Not paid in time"),
        ("failed", "paying", 4, "Another payment is under way"),
        ("failed", "confirmed", 4, "These seats are already paid for"),
        ("succeeded", "cancelled", 4, "We are looking into it"),
    ],
)
def test_each_scene_has_its_heading(me, make, state, held, minutes_left, heading):
    read(me, make(state, held, minutes_left=minutes_left))

    assert me.heading == heading


def test_a_page_whose_time_is_up_does_not_load_itself_for_ever(me, make):
    for state, held in (("prepared", "paying"), ("failed", "held"), ("charging", "paying")):
        payment = make(state, held, minutes_left=-1)
        assert "data-deadline" not in read(me, payment), state
        payment.delete()


def test_money_without_seats_goes_back_by_itself_and_the_page_says_so(me, make):
    page = read(me, make("refunding", "cancelled", is_owed=True))
    assert me.heading == "Your refund is in progress"
    assert "You will be refunded in full automatically, to your original payment method." in page
    assert "js/payments/watch" in page
    assert "data-token" not in page

    Payment.objects.update(state="refunded")
    me.open(me.address)
    assert me.heading == "You have been refunded"
    assert "js/payments/watch" not in me.page


def test_who_was_charged_wrongly_but_still_holds_the_seats_may_pay_again(me, make):
    page = read(me, make("refunding", "held", is_owed=True))

    assert "The seats are still held for you." in page
    assert "Try again: pay ₩308,000" in page


def test_what_was_cancelled_is_shown_on_its_order(me, make, buyer):
    read(me, make("refunding", "confirmed"))

    assert me.address == f"/orders/{buyer.code}/"


def test_a_checkout_that_comes_too_late_says_what_became_of_the_payment(me, make, buyer):
    make("refunding", "cancelled", is_owed=True, minutes_left=-1)

    me.open(f"/orders/{buyer.code}/pay/")

    assert me.heading == "Your refund is in progress"


def test_paid_without_seats_is_not_called_cancelled(me, make, buyer):
    make("succeeded", "cancelled")

    assert "Under review</span>" in me.open(f"/orders/{buyer.code}/")


def test_a_result_costs_few_statements(me, make, django_assert_max_num_queries):
    for state, held in (("charging", "paying"), ("succeeded", "confirmed"), ("failed", "held")):
        payment = make(state, held)
        with django_assert_max_num_queries(6):
            read(me, payment)
        assert "no-store" in me.response["Cache-Control"]
        payment.delete()


@pytest.mark.parametrize("have_changed", [True, False])
def test_trying_again_shows_terms_that_have_changed_since(me, make, buyer, have_changed):
    payment = make("failed", "held", terms=RefundPolicy().terms)
    if have_changed:
        RefundPolicy.objects.create(event=buyer.event, free_days=0, tiers=[[5, 77]])
    read(me, payment)

    page = me.send(f"/orders/{buyer.code}/pay/")

    assert ("The cancellation terms have changed." in page) is have_changed
    assert Payment.objects.count() == (1 if have_changed else 2)

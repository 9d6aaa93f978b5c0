"""A purchase from hold to ticket, and what else may become of it."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import OperationalError

from payments import errors, selectors, services, tasks
from payments.models import Payment
from payments.saga import schedule
from payments.sandbox import services as sandbox
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from reservations.errors import BadPaymentToken, HoldExpired
from reservations.services import seat_updates
from tests.payments.buyers import (
    Buyer,
    messages,
    money_and_seats_agree,
    seat_states,
    settle_in_background,
    work,
    work_until_settled,
)
from tests.wire import traced

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


def test_who_pays_gets_the_seats(buyer, event):
    payment = buyer.buy()

    assert payment.state == "succeeded"
    assert (payment.charged, payment.due_at) == (buyer.reservation.total, None)
    assert buyer.reservation.state == "confirmed"
    assert seat_states(buyer) == {"sold"}
    assert messages() == ["ReservationConfirmed"]
    assert money_and_seats_agree(event)


def test_the_timeline_says_what_happened(buyer):
    payment = buyer.buy()

    steps = payment.steps.values_list("before", "after")
    assert list(steps) == [
        ("", "pending"),
        ("pending", "prepared"),
        ("prepared", "charging"),
        ("charging", "succeeded"),
    ]


def test_a_queue_that_can_not_be_updated_does_not_fail_the_payment(buyer, monkeypatch):
    def gone(**kwargs):
        raise ConnectionError("Redis is gone")

    monkeypatch.setattr(seat_updates.queue, "complete", gone)

    assert buyer.buy().state == Payment.State.SUCCEEDED


def test_what_a_dead_server_left_is_settled_soon(buyer, event, now, settings):
    buyer.start()
    buyer.start_charge(buyer.agree()["paymentToken"])

    soon = now + timedelta(seconds=settings.PAYMENT_PATIENCE) + schedule.GRACE
    assert work(soon - timedelta(seconds=1)) == 0
    assert work(soon) == 1

    assert buyer.payment.state == Payment.State.SUCCEEDED


def test_a_worker_waits_for_a_database_that_restarts(unanswered, monkeypatch):
    """What it had claimed is claimed again as soon as the lease ends."""
    outages = [OperationalError("starting up"), OperationalError("starting up")]
    read = selectors.payment

    def read_later(pk):
        if outages:
            raise outages.pop()
        return read(pk)

    monkeypatch.setattr(selectors, "payment", read_later)
    for _ in range(3):
        Payment.objects.update(due_at=unanswered.now)
        tasks.resume()
        settle_in_background()

    assert unanswered.payment.state == Payment.State.SUCCEEDED


def test_a_purchase_after_the_hold_costs_four_statements(event, fan, now, tmp_path):
    Buyer(event, fan, now).buy()  # prepares the statements
    buyer = Buyer(event, fan, now, first=2)
    with traced(tmp_path) as begun:
        number = buyer.start().number
    answer = buyer.agree()
    with traced(tmp_path) as confirmed:
        services.confirm_payment(
            number=number, fan_id=fan.pk, payment_token=answer["paymentToken"], now=now
        )

    assert len(begun.statements + confirmed.statements) <= 4
    assert begun.round_trips + confirmed.round_trips <= 4


def test_while_it_is_paid_it_can_not_run_out(buyer, event, later):
    from reservations.services import expire_holds

    buyer.start()

    assert expire_holds(now=later) == 0
    assert buyer.reservation.state == "paying"


def test_who_is_declined_keeps_the_seats_and_may_try_again(buyer, event):
    assert buyer.buy(Behaviour.REFUSE).state == "failed"
    assert buyer.reservation.state == "held"
    assert seat_states(buyer) == {"held"}

    buyer.key = uuid4()
    assert buyer.buy().state == "succeeded"
    assert work_until_settled(buyer.now)
    assert money_and_seats_agree(event)


def test_who_is_declined_in_the_window_is_told_so_too(buyer, event):
    assert buyer.buy(Behaviour.DECLINE).state == "failed"
    assert buyer.payment.failure_code == "REJECT_CARD_COMPANY"
    assert buyer.reservation.state == "held"


def test_who_never_pays_loses_the_seats_in_the_end(buyer, event, later):
    buyer.start()

    work(later)

    assert buyer.payment.state == "cancelled"
    assert buyer.reservation.state == "cancelled"
    assert seat_states(buyer) == {"available"}
    assert messages() == ["PaymentFailed", "ReservationCancelled"]


def buy_impatiently(buyer, settings, behaviour):
    """The browser's call gives up before the gateway answers."""
    buyer.start()
    answer = buyer.agree(behaviour, seconds=3)
    settings.PAYMENT_PATIENCE = 0.5
    return buyer.confirm(answer)


def test_an_answer_that_never_comes_keeps_the_seats_until_it_is_known(buyer, event, settings):
    payment = buy_impatiently(buyer, settings, Behaviour.TIME_OUT)

    assert payment.state == "charging"
    assert (buyer.reservation.state, seat_states(buyer)) == ("paying", {"held"})
    work(buyer.now + timedelta(seconds=settings.PAYMENT_PATIENCE) + schedule.GRACE)
    assert buyer.payment.state == "succeeded"
    assert money_and_seats_agree(event)


def test_a_charge_that_vanished_is_given_up_only_when_nothing_can_be_under_way(
    buyer, event, settings
):
    buy_impatiently(buyer, settings, Behaviour.VANISH)
    work(buyer.now + timedelta(seconds=settings.PAYMENT_PATIENCE) + schedule.GRACE)
    assert buyer.payment.state == "charging"

    work_until_settled(buyer.now)

    assert buyer.payment.failure_code == "never charged"
    assert money_and_seats_agree(event)


def test_another_amount_is_given_back_and_the_fan_may_try_again(buyer, event):
    payment = buyer.buy(Behaviour.WRONG_AMOUNT)
    assert payment.state == "refunding"
    assert buyer.reservation.state == "held"

    work(buyer.now)

    assert buyer.payment.state == "refunded"
    assert testing.net_charged(payment.number) == 0


def test_a_charge_after_the_seats_are_gone_is_given_back_and_the_fan_told(
    buyer, event, settings, later, mailoutbox
):
    settings.PORTONE_MANUAL_CONFIRM = False
    settings.PORTONE_CHANNEL_KEY = "channel-key-sandbox-direct"
    buyer.start()
    work(later)
    assert buyer.payment.state == "cancelled"

    buyer.agree()  # in a window that was left open
    assert testing.net_charged(buyer.payment.number) > 0
    work(later + timedelta(minutes=11))
    work(later + timedelta(minutes=12))

    assert buyer.payment.state == "refunded"
    assert money_and_seats_agree(event)
    services.deliver_messages(now=later + timedelta(hours=1))
    assert ["Your refund" in mail.subject for mail in mailoutbox] == [True]
    assert "could not be kept" in mailoutbox[0].body


def test_where_the_window_charges_the_payment_is_fetched(buyer, event, settings):
    settings.PORTONE_MANUAL_CONFIRM = False
    settings.PORTONE_CHANNEL_KEY = "channel-key-sandbox-direct"

    assert buyer.buy().state == "succeeded"
    assert money_and_seats_agree(event)


def test_a_bank_that_thinks_about_it_is_waited_for(buyer, event):
    buyer.start()
    payment = buyer.confirm(buyer.agree(Behaviour.PENDING, seconds=60))
    assert payment.state == "charging"

    sandbox.settle_charge(payment.number, now=buyer.now + timedelta(minutes=2))
    work(buyer.now + timedelta(seconds=5))

    assert buyer.payment.state == "succeeded"


# -- keys and tokens ------------------------------------------------------------------------------


def test_a_repeat_with_the_same_key_finds_the_stored_result(buyer):
    first = buyer.buy()

    again = buyer.start()

    assert (again.pk, again.state) == (first.pk, "succeeded")
    assert buyer.confirm({"paymentToken": "another"}).state == "succeeded"
    assert Payment.objects.count() == len(testing.charges()) == 1


def test_a_key_names_one_reservation(buyer, event, fan, now):
    buyer.start()
    other = Buyer(event, fan, now, first=2)
    other.key = buyer.key

    with pytest.raises(errors.KeyReused):
        other.start()
    assert other.reservation.state == "held"


def test_another_fans_key_is_refused(buyer, event, rival, now):
    buyer.start()
    other = Buyer(event, rival, now, first=2)
    other.key = buyer.key

    with pytest.raises(errors.KeyReused):
        other.start()


def test_another_tab_finds_the_same_payment(buyer):
    first = buyer.start()

    assert buyer.start(payment_key=uuid4()).pk == first.pk


@pytest.mark.parametrize("wrong", ["", "qp_", "qp_x.y", "rubbish", "qp_é.é"])
def test_without_a_token_of_ours_nobody_pays(buyer, wrong):
    with pytest.raises(BadPaymentToken):
        buyer.start(token=wrong)


def test_a_token_is_for_one_person_and_one_reservation(buyer, event, rival, now):
    other = Buyer(event, rival, now, first=2)

    with pytest.raises(BadPaymentToken):
        buyer.start(token=other.token)


def test_a_token_lasts_ten_minutes(buyer):
    token = buyer.token

    with pytest.raises(BadPaymentToken):
        buyer.start(token=token, now=buyer.now + timedelta(minutes=10, seconds=1))


def test_who_decides_too_late_can_not_pay(buyer):
    with pytest.raises(HoldExpired):
        buyer.start(now=buyer.now + timedelta(minutes=6))


def test_a_gateway_that_is_away_leaves_the_hold_and_lets_one_repeat(buyer, settings, base):
    settings.PORTONE_URL = "http://127.0.0.1:9/nowhere"
    with pytest.raises(errors.PaymentsPaused):
        buyer.start()
    assert (buyer.payment.state, buyer.reservation.state) == ("pending", "paying")

    settings.PORTONE_URL = base
    assert buyer.start().state == "prepared"


def test_anothers_payment_is_not_found(buyer, rival):
    payment = buyer.start()

    with pytest.raises(errors.NoPayment):
        services.confirm_payment(
            number=payment.number, fan_id=rival.pk, payment_token="", now=buyer.now
        )

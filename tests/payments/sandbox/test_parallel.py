"""Two at once: the money moves once. Each claim has a control in which it would move twice."""

from threading import Barrier

import pytest
from portone_server_sdk import errors

from payments.sandbox import idempotency, testing
from payments.sandbox.models import Payment
from payments.sandbox.services import charges, refunds
from tests.payments.sandbox.conftest import AMOUNT
from tests.race import together, winners

BUYERS = 6


def confirm_together(portone, token, count=BUYERS):
    return together(
        count, lambda _: portone.confirm_payment(payment_id="order-1", payment_token=token)
    )


@pytest.fixture
def no_lock(monkeypatch):
    """Both look before either writes."""
    met = Barrier(2)

    def unlocked(payment_id):
        payment = Payment.objects.get(payment_id=payment_id)
        met.wait(60)
        return payment

    for module in (charges, refunds):
        monkeypatch.setattr(module, "payment_for_update", unlocked)


def test_many_confirms_at_once_charge_once(portone, window):
    results = confirm_together(portone, window()["paymentToken"])

    assert len(winners(results)) == 1
    refusals = {type(result) for result in results} - {type(winners(results)[0])}
    assert refusals == {errors.AlreadyPaidError}
    assert [charge.amount for charge in testing.charges()] == [AMOUNT]


def test_control_without_the_lock_only_the_constraint_saves_the_money(portone, window, no_lock):
    results = confirm_together(portone, window()["paymentToken"], count=2)

    assert len(winners(results)) == 1
    assert not any(isinstance(result, errors.AlreadyPaidError) for result in results)
    assert len(testing.charges()) == 1


def test_many_refunds_at_once_give_back_no_more_than_was_taken(portone, paid):
    paid()

    results = together(
        BUYERS,
        lambda _: portone.cancel_payment(payment_id="order-1", amount=100_000, reason="Mine."),
    )

    assert len(winners(results)) == 1
    assert testing.net_charged("order-1") == AMOUNT - 100_000


def test_control_without_the_lock_more_goes_back_than_was_taken(portone, paid, monkeypatch):
    paid()
    met = Barrier(2)

    def unlocked(payment):
        left = payment.charged - payment.refunded
        met.wait(60)
        return left

    monkeypatch.setattr(refunds, "refundable", unlocked)
    monkeypatch.setattr(
        refunds, "payment_for_update", lambda name: Payment.objects.get(payment_id=name)
    )
    together(
        2, lambda _: portone.cancel_payment(payment_id="order-1", amount=100_000, reason="Mine.")
    )

    assert testing.net_charged("order-1") < 0


def test_one_key_in_many_calls_charges_once(post, window):
    body = {"paymentToken": window()["paymentToken"]}

    answers = together(BUYERS, lambda _: post("order-1/confirm", body, key="k" * 16))

    types = {answer.json().get("type") for answer in answers}
    assert types <= {None, "IDEMPOTENCY_OUTSTANDING_REQUEST"}
    assert sum(answer.status_code == 200 for answer in answers) >= 1
    assert len(testing.charges()) == 1


def refund_together_by_one_key(post):
    part = {"amount": 10_000, "reason": "Mine."}
    return together(BUYERS, lambda _: post("order-1/cancel", part, key="k" * 16))


def test_one_key_in_many_calls_gives_back_once(post, paid):
    paid()

    refund_together_by_one_key(post)

    assert testing.net_charged("order-1") == AMOUNT - 10_000


def test_control_where_keys_are_not_kept_every_call_gives_back(post, paid, monkeypatch):
    paid()
    monkeypatch.setattr(idempotency, "begin", lambda **_: None)

    refund_together_by_one_key(post)

    assert testing.net_charged("order-1") == AMOUNT - BUYERS * 10_000


def test_a_plan_is_taken_by_one_only(portone):
    testing.plan_next(testing.Behaviour.PENDING, seconds=60)
    names = [f"order-{n}" for n in range(BUYERS)]
    for name in names:
        portone.pre_register_payment(payment_id=name, total_amount=1000)

    answers = together(BUYERS, lambda n: testing.pay(names[n]))

    assert sum("paymentToken" not in answer for answer in answers) == 1

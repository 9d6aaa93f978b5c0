"""What may go wrong goes wrong on request, and the sandbox's books say what is true."""

from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from json import JSONDecodeError

import httpx
import pytest
from portone_server_sdk import errors
from portone_server_sdk.payment import PaidPayment, ReadyPayment

from payments.sandbox import delays, testing
from payments.sandbox.behaviours import WRONG_BY
from payments.sandbox.services import WindowOrder
from payments.sandbox.testing import Behaviour
from tests.payments.sandbox.conftest import AMOUNT
from tests.waiting import wait_until
from ticketing.core.server_signals import server_stopping


@contextmanager
def given_up_on(portone):
    """The SDK waits a minute; a test doesn't. What it does not wait for comes to no answer."""
    usual, portone._sync_client.timeout = portone._sync_client.timeout, httpx.Timeout(0.5)
    try:
        with pytest.raises(httpx.ReadTimeout):
            yield
    finally:
        portone._sync_client.timeout = usual


def confirm(portone, answer):
    return portone.confirm_payment(payment_id="order-1", payment_token=answer["paymentToken"])


def test_a_time_out_after_charging_took_the_money(portone, window):
    answer = window(Behaviour.TIME_OUT, seconds=3)

    with given_up_on(portone):
        confirm(portone, answer)

    wait_until(lambda: testing.net_charged("order-1") == AMOUNT)
    assert isinstance(portone.get_payment(payment_id="order-1"), PaidPayment)


def test_a_slow_one_charges_after_everybody_stopped_waiting(portone, window):
    """The worst of them: who asks too early hears that nothing was charged."""
    answer = window(Behaviour.SLOW, seconds=60)

    with given_up_on(portone):
        confirm(portone, answer)

    assert isinstance(portone.get_payment(payment_id="order-1"), ReadyPayment)
    wait_until(lambda: delays.end_all() or testing.net_charged("order-1") == AMOUNT)


def test_one_that_vanishes_took_nothing(portone, window):
    with pytest.raises(JSONDecodeError):
        confirm(portone, window(Behaviour.VANISH, seconds=0.1))

    assert isinstance(portone.get_payment(payment_id="order-1"), ReadyPayment)
    assert testing.charges() == []


def test_a_withheld_answer_ends_as_a_504(portone, window):
    with pytest.raises(JSONDecodeError):
        confirm(portone, window(Behaviour.TIME_OUT, seconds=0.1))


def test_another_amount_is_charged_behind_the_shops_back(portone, window):
    answer = window(Behaviour.WRONG_AMOUNT)
    portone.confirm_payment(
        payment_id="order-1", payment_token=answer["paymentToken"], total_amount=AMOUNT
    )

    found = portone.get_payment(payment_id="order-1")
    assert found.amount.total == found.amount.paid == AMOUNT + WRONG_BY
    assert testing.net_charged("order-1") == AMOUNT + WRONG_BY


@pytest.mark.parametrize(
    ("behaviour", "code"),
    [(Behaviour.DECLINE, "REJECT_CARD_COMPANY"), (Behaviour.ABANDON, "PAY_PROCESS_CANCELED")],
)
def test_what_fails_in_the_window_says_so(portone, window, behaviour, code):
    answer = window(behaviour)

    assert (answer["code"], answer["pgCode"]) == ("FAILURE_TYPE_PG", code)
    assert portone.get_payment(payment_id="order-1").failure.pg_code == code
    assert testing.charges() == []


def test_a_refund_can_be_refused(portone, paid):
    paid(Behaviour.REFUND_REFUSED)

    with pytest.raises(errors.PgProviderError):
        portone.cancel_payment(payment_id="order-1", reason="The show is off.")
    assert testing.net_charged("order-1") == AMOUNT


def test_a_refund_can_be_done_without_an_answer(portone, paid):
    paid(Behaviour.REFUND_TIME_OUT, seconds=3)

    with given_up_on(portone):
        portone.cancel_payment(payment_id="order-1", reason="The show is off.")

    wait_until(lambda: testing.net_charged("order-1") == 0)


def test_a_server_that_stops_does_not_wait_for_the_slowest(post, window):
    body = {"paymentToken": window(Behaviour.TIME_OUT, seconds=60)["paymentToken"]}
    with ThreadPoolExecutor() as threads:
        held = threads.submit(post, "order-1/confirm", body)
        wait_until(testing.charges)

        wait_until(lambda: server_stopping.send_robust(sender=None) and held.done())

        assert held.result().status_code == 504


# -- control --------------------------------------------------------------------------------------


def test_plans_are_used_once_and_in_order(portone):
    testing.plan_next(Behaviour.DECLINE)
    testing.plan_next(Behaviour.PENDING, seconds=60)
    order = WindowOrder(amount=1000)

    answers = [testing.pay(name, order=order) for name in ("a", "b", "c")]

    assert ["code" in answer for answer in answers] == [True, False, False]
    assert ["paymentToken" in answer for answer in answers] == [False, False, True]


def test_all_calls_fail_and_then_none(portone, registered):
    testing.set_faults(failure_rate=1)
    with pytest.raises(JSONDecodeError):
        portone.pre_register_payment(payment_id="order-2", total_amount=1)

    testing.set_faults()

    assert portone.pre_register_payment(payment_id="order-2", total_amount=1) is not None


def test_a_part_of_the_calls_fails(post):
    testing.set_faults(failure_rate=0.5)

    statuses = {post("order-1/pre-register", {"totalAmount": 1}).status_code for _ in range(40)}

    assert statuses == {200, 503}


def test_every_call_can_take_longer(portone, registered):
    testing.set_faults(latency=1)

    with given_up_on(portone):
        portone.get_payment(payment_id=registered)


def test_charges_say_what_was_taken_and_what_went_back(portone, paid, now):
    paid()
    portone.cancel_payment(payment_id="order-1", amount=4_000, reason="A part.")

    (charge,) = testing.charges(since=now)
    assert (charge.payment_id, charge.amount, charge.refunded) == ("order-1", AMOUNT, 4_000)
    assert testing.net_charged("order-1") == AMOUNT - 4_000
    assert testing.charges(until=now) == []

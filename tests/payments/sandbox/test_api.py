"""Each call through PortOne's official SDK: what it returns, and what it refuses."""

from datetime import timedelta

import pytest
from portone_server_sdk import errors
from portone_server_sdk.payment import (
    CancelledPayment,
    FailedPayment,
    PaidPayment,
    PartialCancelledPayment,
    PayPendingPayment,
    ReadyPayment,
    RequestedPaymentCancellation,
    SucceededPaymentCancellation,
)

from payments.sandbox import testing
from payments.sandbox.models import Cancellation, Payment
from payments.sandbox.services import WindowOrder
from payments.sandbox.testing import Behaviour
from tests.payments.sandbox.conftest import AMOUNT

INSTANT = WindowOrder(channel_key="channel-key-sandbox-instant")


# -- registering ----------------------------------------------------------------------------------


def test_a_registered_payment_is_not_known_until_its_window_opens(portone, registered):
    with pytest.raises(errors.PaymentNotFoundError):
        portone.get_payment(payment_id=registered)


def test_the_amount_that_was_registered_counts(portone, window):
    answer = window()

    ready = portone.get_payment(payment_id=answer["paymentId"])
    assert isinstance(ready, ReadyPayment)
    assert (ready.amount.total, ready.amount.paid, ready.currency) == (AMOUNT, 0, "KRW")
    assert ready.transaction_id == answer["txId"]


def test_what_was_paid_can_not_be_registered_again(portone, paid):
    with pytest.raises(errors.AlreadyPaidError):
        portone.pre_register_payment(payment_id=paid(), total_amount=1)


# -- confirming -----------------------------------------------------------------------------------


def test_a_confirmed_payment_is_paid(portone, window):
    answer = window()

    summary = portone.confirm_payment(
        payment_id="order-1",
        payment_token=answer["paymentToken"],
        tx_id=answer["txId"],
        total_amount=AMOUNT,
        currency="KRW",
        is_test=True,
    )

    found = portone.get_payment(payment_id="order-1")
    assert isinstance(found, PaidPayment)
    assert (found.paid_at, found.pg_tx_id) == (summary.paid_at, summary.pg_tx_id)
    assert (found.amount.paid, found.amount.cancelled) == (AMOUNT, 0)
    assert [charge.amount for charge in testing.charges()] == [AMOUNT]


def test_nothing_is_charged_before_the_shop_confirms(window):
    window()

    assert testing.charges() == []


def test_another_channel_charges_in_the_window(portone, window):
    answer = window(order=INSTANT)

    assert "paymentToken" not in answer
    assert isinstance(portone.get_payment(payment_id="order-1"), PaidPayment)


def test_a_payment_is_paid_once(portone, window):
    token = window()["paymentToken"]
    portone.confirm_payment(payment_id="order-1", payment_token=token)

    with pytest.raises(errors.AlreadyPaidError):
        portone.confirm_payment(payment_id="order-1", payment_token=token)
    assert testing.net_charged("order-1") == AMOUNT


@pytest.mark.parametrize(
    "wrong", [{"total_amount": 1}, {"currency": "USD"}, {"tx_id": "tx-0"}, {"is_test": False}]
)
def test_what_the_shop_believes_must_be_so(portone, window, wrong):
    token = window()["paymentToken"]

    with pytest.raises(errors.InformationMismatchError):
        portone.confirm_payment(payment_id="order-1", payment_token=token, **wrong)
    assert testing.net_charged("order-1") == 0


def test_a_made_up_token_charges_nothing(portone, window):
    window()

    with pytest.raises(errors.InvalidPaymentTokenError):
        portone.confirm_payment(payment_id="order-1", payment_token="payment-token-0")
    assert testing.net_charged("order-1") == 0


@pytest.mark.parametrize("payment_id", ["order-1", "order-2"])
def test_what_nobody_opened_can_not_be_confirmed(portone, registered, payment_id):
    with pytest.raises(errors.PaymentNotFoundError):
        portone.confirm_payment(payment_id=payment_id, payment_token="any")


def test_a_declined_card_fails_and_can_be_tried_again(portone, window):
    token = window(Behaviour.REFUSE)["paymentToken"]
    with pytest.raises(errors.PgProviderError) as refusal:
        portone.confirm_payment(payment_id="order-1", payment_token=token)
    failed = portone.get_payment(payment_id="order-1")

    again = window()
    portone.confirm_payment(payment_id="order-1", payment_token=again["paymentToken"])

    assert isinstance(failed, FailedPayment)
    assert failed.failure.pg_code == refusal.value.pg_code == "REJECT_CARD_PAYMENT"
    assert again["txId"] != failed.transaction_id
    assert testing.net_charged("order-1") == AMOUNT


def test_the_token_of_a_failed_try_is_worth_nothing(portone, window):
    old = window(Behaviour.REFUSE)["paymentToken"]
    with pytest.raises(errors.PgProviderError):
        portone.confirm_payment(payment_id="order-1", payment_token=old)
    window()

    with pytest.raises(errors.InvalidPaymentTokenError):
        portone.confirm_payment(payment_id="order-1", payment_token=old)


# -- capturing ------------------------------------------------------------------------------------


def test_only_what_was_paid_can_be_captured(portone, window):
    answer = window()
    with pytest.raises(errors.PaymentNotPaidError):
        portone.capture_payment(payment_id="order-1")

    portone.confirm_payment(payment_id="order-1", payment_token=answer["paymentToken"])

    assert portone.capture_payment(payment_id="order-1") is not None
    with pytest.raises(errors.PaymentNotFoundError):
        portone.capture_payment(payment_id="order-2")


# -- cancelling -----------------------------------------------------------------------------------


def test_without_an_amount_everything_goes_back(portone, paid):
    answer = portone.cancel_payment(payment_id=paid(), reason="The show is off.")

    found = portone.get_payment(payment_id="order-1")
    assert isinstance(answer.cancellation, SucceededPaymentCancellation)
    assert isinstance(found, CancelledPayment)
    assert found.cancellations[0].reason == "The show is off."
    assert (found.amount.cancelled, testing.net_charged("order-1")) == (AMOUNT, 0)


def test_parts_go_back_until_nothing_is_left(portone, paid):
    paid()
    portone.cancel_payment(payment_id="order-1", amount=100_000, reason="One of two.")
    partly = portone.get_payment(payment_id="order-1")
    portone.cancel_payment(
        payment_id="order-1", amount=54_000, reason="Both.", current_cancellable_amount=54_000
    )

    assert isinstance(partly, PartialCancelledPayment)
    assert partly.amount.cancelled == 100_000
    assert isinstance(portone.get_payment(payment_id="order-1"), CancelledPayment)
    with pytest.raises(errors.PaymentAlreadyCancelledError):
        portone.cancel_payment(payment_id="order-1", reason="Once more.")


@pytest.mark.parametrize(
    ("asked", "refusal"),
    [
        ({"amount": AMOUNT + 1}, errors.CancelAmountExceedsCancellableAmountError),
        ({"current_cancellable_amount": 1}, errors.CancellableAmountConsistencyBrokenError),
        ({"amount": 0}, errors.InvalidRequestError),
        ({"amount": -1}, errors.InvalidRequestError),
    ],
)
def test_what_can_not_go_back_stays(portone, paid, asked, refusal):
    paid()

    with pytest.raises(refusal):
        portone.cancel_payment(payment_id="order-1", reason="Changed my mind.", **asked)
    assert testing.net_charged("order-1") == AMOUNT


def test_what_was_not_paid_can_not_go_back(portone, window):
    window()

    with pytest.raises(errors.PaymentNotPaidError):
        portone.cancel_payment(payment_id="order-1", reason="Changed my mind.")
    with pytest.raises(errors.PaymentNotFoundError):
        portone.cancel_payment(payment_id="order-2", reason="Changed my mind.")


def test_a_refund_without_a_reason_is_refused(portone, paid):
    paid()

    with pytest.raises(errors.InvalidRequestError):
        portone.cancel_payment(payment_id="order-1", reason="")


# -- what takes a while ---------------------------------------------------------------------------


def test_a_charge_may_be_pending_and_then_paid(portone, window, now):
    window(Behaviour.PENDING, seconds=60)
    pending = portone.get_payment(payment_id="order-1")
    Payment.objects.update(due_at=now)

    assert isinstance(pending, PayPendingPayment)
    assert isinstance(portone.get_payment(payment_id="order-1"), PaidPayment)
    assert len(testing.charges()) == 1


def test_a_refund_may_be_pending_and_then_done(portone, paid, now):
    paid(Behaviour.REFUND_PENDING, seconds=60)
    answer = portone.cancel_payment(payment_id="order-1", reason="The show is off.")
    before = portone.get_payment(payment_id="order-1")
    Cancellation.objects.update(due_at=now)

    assert isinstance(answer.cancellation, RequestedPaymentCancellation)
    assert (before.status_changed_at, before.amount.cancelled) == (before.paid_at, 0)
    assert isinstance(portone.get_payment(payment_id="order-1"), CancelledPayment)
    assert testing.net_charged("order-1") == 0


def test_what_is_promised_back_can_not_be_asked_for_again(portone, paid):
    paid(Behaviour.REFUND_PENDING, seconds=60)
    portone.cancel_payment(payment_id="order-1", reason="The show is off.")

    with pytest.raises(errors.PaymentAlreadyCancelledError):
        portone.cancel_payment(payment_id="order-1", reason="The show is off.")


# -- lists ----------------------------------------------------------------------------------------


def three_payments(portone):
    for name in ("a", "b", "c"):
        portone.pre_register_payment(payment_id=name, total_amount=1000)
        testing.pay(name, order=INSTANT)


def test_payments_are_listed_by_page(portone):
    three_payments(portone)

    first = portone.get_payments(page={"number": 0, "size": 2}, filter={"status": ["PAID"]})
    second = portone.get_payments(page={"number": 1, "size": 2})

    assert [one.id for one in first.items + second.items] == ["a", "b", "c"]
    assert first.page.total_count == 3
    assert portone.get_payments(filter={"status": ["FAILED"]}).items == []


def test_payments_are_listed_one_after_the_other(portone, now):
    three_payments(portone)
    day = {"from_": now.isoformat(), "until": (now + timedelta(days=1)).isoformat()}

    first = portone.get_all_payments_by_cursor(size=2, **day).items
    rest = portone.get_all_payments_by_cursor(size=2, cursor=first[-1].cursor, **day).items

    assert [one.payment.id for one in first + rest] == ["a", "b", "c"]
    tomorrow = (now + timedelta(days=1)).isoformat()
    assert portone.get_all_payments_by_cursor(from_=tomorrow, until=tomorrow).items == []


# -- who may call ---------------------------------------------------------------------------------


def test_a_wrong_secret_opens_nothing(base, registered, make_client):
    with pytest.raises(errors.UnauthorizedError):
        make_client(base, secret="guessed").get_payment(payment_id=registered)


def test_another_store_is_not_ours(base, paid, make_client):
    stranger = make_client(base, store_id="store-other")

    with pytest.raises(errors.ForbiddenError):
        stranger.get_payment(payment_id=paid())
    with pytest.raises(errors.ForbiddenError):
        stranger.cancel_payment(payment_id="order-1", reason="Mine.")
    assert testing.net_charged("order-1") == AMOUNT


@pytest.mark.parametrize("body", [[], {"totalAmount": "many"}, {"totalAmount": True}])
def test_a_body_that_makes_no_sense_is_refused(post, body):
    answer = post("order-1/pre-register", body)

    assert (answer.status_code, answer.json()["type"]) == (400, "INVALID_REQUEST")

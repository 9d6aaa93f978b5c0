"""Webhooks as PortOne sends them: signed, repeated until taken, and badly behaved on request."""

import json
from datetime import UTC, datetime, timedelta

import pytest
from portone_server_sdk import errors
from portone_server_sdk.webhook import (
    WebhookTransactionCancelledCancelled,
    WebhookTransactionCancelledCancelPending,
    WebhookTransactionCancelledPartialCancelled,
    WebhookTransactionFailed,
    WebhookTransactionPaid,
    WebhookTransactionPayPending,
    WebhookTransactionReady,
    WebhookVerificationError,
    verify,
)
from standardwebhooks import Webhook as Standard
from standardwebhooks import WebhookVerificationError as StandardError

from payments.sandbox import testing, timers, webhooks
from payments.sandbox.models import Payment
from payments.sandbox.services import WindowOrder
from payments.sandbox.testing import Behaviour
from tests.payments.sandbox_server import kind_of
from tests.waiting import wait_until
from ticketing.core import clock


@pytest.fixture
def secret(settings):
    return settings.PORTONE_WEBHOOK_SECRET


def opened(shop, kind, secret):
    headers, body = shop.headers_and_body(kind)
    return verify(secret, body, headers)


# -- what is said ---------------------------------------------------------------------------------


def test_a_payment_sends_a_webhook_for_each_step(portone, paid, shop, secret):
    paid()
    assert shop.kinds == ["Paid", "Ready"]
    portone.cancel_payment(payment_id="order-1", amount=1, reason="A part.")
    assert shop.kinds == ["Paid", "PartialCancelled", "Ready"]
    portone.cancel_payment(payment_id="order-1", reason="The rest.")

    assert shop.kinds == ["Cancelled", "Paid", "PartialCancelled", "Ready"]
    assert isinstance(opened(shop, "Ready", secret), WebhookTransactionReady)
    assert isinstance(opened(shop, "Paid", secret), WebhookTransactionPaid)
    partly = opened(shop, "PartialCancelled", secret)
    assert isinstance(partly, WebhookTransactionCancelledPartialCancelled)
    assert isinstance(opened(shop, "Cancelled", secret), WebhookTransactionCancelledCancelled)
    found = portone.get_payment(payment_id="order-1")
    assert partly.data.cancellation_id == found.cancellations[0].id
    assert (partly.data.payment_id, partly.data.store_id) == ("order-1", found.store_id)


def test_a_failure_sends_a_webhook(window, shop, secret):
    answer = window(Behaviour.DECLINE)

    failed = opened(shop, "Failed", secret)
    assert isinstance(failed, WebhookTransactionFailed)
    assert failed.data.transaction_id == answer["txId"]


def test_a_pending_charge_sends_two_webhooks(portone, window, shop, secret):
    window(Behaviour.PENDING, seconds=0.2)

    assert shop.kinds == ["Paid", "PayPending", "Ready"]
    assert isinstance(opened(shop, "PayPending", secret), WebhookTransactionPayPending)


def test_a_pending_refund_sends_two_webhooks(portone, paid, shop, secret):
    paid(Behaviour.REFUND_PENDING, seconds=0.2)
    portone.cancel_payment(payment_id="order-1", reason="The show is off.")

    assert shop.kinds == ["CancelPending", "Cancelled", "Paid", "Ready"]
    pending = opened(shop, "CancelPending", secret)
    assert isinstance(pending, WebhookTransactionCancelledCancelPending)


def test_skip_webhook_sends_none(portone, window, shop):
    token = window()["paymentToken"]
    portone.confirm_payment(payment_id="order-1", payment_token=token, skip_webhook=True)
    portone.cancel_payment(payment_id="order-1", reason="Quietly.", skip_webhook=True)

    assert shop.kinds == ["Ready"]


def test_a_refused_call_sends_no_webhook(portone, window, shop):
    window()
    with pytest.raises(errors.InvalidPaymentTokenError):
        portone.confirm_payment(payment_id="order-1", payment_token="payment-token-0")

    assert shop.kinds == ["Ready"]


# -- the seal -------------------------------------------------------------------------------------


def test_the_standards_own_verifier_agrees(paid, shop, secret):
    paid()

    headers, body = shop.headers_and_body("Paid")
    assert Standard(secret).verify(body, headers) == json.loads(body)


def test_each_webhook_has_an_id_of_its_own(paid, shop):
    paid()

    assert len(shop.kinds) == len({headers["webhook-id"] for headers, _ in shop.received}) == 2


FORGED = {
    "another amount of truth": (lambda h, b: (h, b.replace("order-1", "order-2"))),
    "another id": (lambda h, b: (h | {"webhook-id": "msg-0"}, b)),
    "another time": (
        lambda h, b: (h | {"webhook-timestamp": str(int(h["webhook-timestamp"]) + 1)}, b)
    ),
    "another seal": (lambda h, b: (h | {"webhook-signature": "v1," + "A" * 43 + "="}, b)),
    "no seal": (lambda h, b: ({k: v for k, v in h.items() if k != "webhook-signature"}, b)),
}


@pytest.mark.parametrize("forge", FORGED.values(), ids=FORGED)
def test_a_forgery_is_seen_by_both_verifiers(paid, shop, secret, forge):
    paid()
    headers, body = forge(*shop.headers_and_body("Paid"))

    with pytest.raises(WebhookVerificationError):
        verify(secret, body, headers)
    with pytest.raises(StandardError):
        Standard(secret).verify(body, headers)


def test_what_another_secret_sealed_is_not_ours(paid, shop):
    paid()
    headers, body = shop.headers_and_body("Paid")

    with pytest.raises(WebhookVerificationError):
        verify("whsec_c29tZWJvZHkgZWxzZSdzIHNlY3JldA==", body, headers)


def test_a_seal_gets_old(secret):
    old = webhooks.signed("msg-1", "{}", datetime.now(UTC) - timedelta(minutes=6))

    with pytest.raises(WebhookVerificationError):
        verify(secret, "{}", old)
    assert verify(secret, "{}", webhooks.signed("msg-1", "{}", clock.now())) == {}


# -- how it arrives -------------------------------------------------------------------------------


def test_a_lost_webhook_never_comes_but_can_be_asked_for(portone, paid, shop):
    paid(Behaviour.LOSE_WEBHOOK)
    assert shop.kinds == ["Ready"]

    answer = portone.resend_webhook(payment_id="order-1")

    headers, _ = shop.headers_and_body("Paid")
    assert answer.webhook.id == headers["webhook-id"]


def test_one_that_comes_twice_has_the_same_id(paid, shop):
    paid(Behaviour.SEND_TWICE)

    assert shop.kinds == ["Paid", "Paid", "Ready"]
    assert len({headers["webhook-id"] for headers, _ in shop.received}) == 2


def test_a_late_one_comes_after_the_answer(paid, shop):
    paid(Behaviour.SEND_LATE, seconds=60)
    wait_until(lambda: len(timers.pending()) == 1)
    assert [kind_of(body) for _, body in shop.received] == ["Ready"]

    (late,) = timers.pending()
    late.fire()  # as after its 60 seconds

    assert shop.kinds == ["Paid", "Ready"]


def test_a_shop_that_does_not_take_it_is_asked_five_times(paid, shop):
    shop.status = 500
    paid()
    wait_until(lambda: shop.kinds.count("Paid") == webhooks.MAX_SENDINGS)

    row = testing.webhooks_of("order-1")[-1]
    assert (row.sendings, row.status) == (5, 500)
    assert {headers["webhook-id"] for headers, body in shop.received if "Paid" in body} == {
        row.webhook_id
    }


def test_a_shop_that_is_not_there_is_asked_again_too(paid, shop, settings):
    settings.PAYMENTS_SANDBOX_WEBHOOK = "http://127.0.0.1:9/hook"
    paid()
    wait_until(lambda: testing.webhooks_of("order-1")[-1].sendings == webhooks.MAX_SENDINGS)

    assert testing.webhooks_of("order-1")[-1].status == 0


def test_enough_is_enough(portone, paid, shop):
    shop.status = 500
    paid()
    wait_until(lambda: testing.webhooks_of("order-1")[-1].sendings == webhooks.MAX_SENDINGS)

    with pytest.raises(errors.MaxWebhookRetryCountReachedError):
        portone.resend_webhook(payment_id="order-1")


def test_only_an_existing_webhook_can_be_resent(portone, paid, registered):
    with pytest.raises(errors.PaymentNotFoundError):
        portone.resend_webhook(payment_id=registered)
    paid()

    with pytest.raises(errors.WebhookNotFoundError):
        portone.resend_webhook(payment_id="order-1", webhook_id="msg-0")
    first = testing.webhooks_of("order-1")[0]
    answer = portone.resend_webhook(payment_id="order-1", webhook_id=first.webhook_id)
    assert answer.webhook.id == first.webhook_id


@pytest.mark.parametrize("opened_at", ["http://localhost:8123", ""])
def test_a_path_is_a_path_of_the_site_whose_window_was_opened(window, settings, opened_at):
    settings.PAYMENTS_SANDBOX_WEBHOOK = "/hooks/here/"
    window(order=WindowOrder(origin=opened_at))

    assert testing.webhooks_of("order-1")[-1].url == (
        f"{opened_at or settings.SITE_URL}/hooks/here/"
    )


def test_a_webhook_whose_payment_is_gone_is_not_sent(paid, shop, caplog):
    paid(Behaviour.SEND_LATE, seconds=60)
    wait_until(lambda: len(timers.pending()) == 1)
    (late,) = timers.pending()
    Payment.objects.all().delete()

    late.fire()

    assert shop.kinds == ["Ready"]
    assert "failed" not in caplog.text


def test_no_timer_outlives_what_it_works_on(paid, shop):
    """At the end of a test run a timer must not ask a database that is gone."""
    paid(Behaviour.SEND_LATE, seconds=60)
    wait_until(lambda: len(timers.pending()) == 1)

    timers.cancel_all()

    assert timers.pending() == []
    assert [kind_of(body) for _, body in shop.received] == ["Ready"]

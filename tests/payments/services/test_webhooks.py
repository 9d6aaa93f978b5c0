"""What the gateway tells by itself: forged, repeated, reordered, early, late, and racing."""

import json
import time
from datetime import timedelta

import pytest
from django.test import Client
from standardwebhooks import Webhook as Standard

from payments import services
from payments.models import Payment, WebhookReceipt
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from tests.payments.buyers import ask_gateway, money_and_seats_agree, work

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
ADDRESS = "/payments/webhooks/portone/"


def body_of(number, kind="Transaction.Paid"):
    data = {"storeId": "s", "paymentId": number, "transactionId": "tx"}
    return json.dumps({"type": kind, "timestamp": "2026-11-16T00:00:00Z", "data": data})


def signed(settings, body, *, name="msg_1", at=None, secret=None):
    at = int(at or time.time())
    from datetime import UTC, datetime

    signature = Standard(secret or settings.PORTONE_WEBHOOK_SECRET).sign(
        name, datetime.fromtimestamp(at, UTC), body
    )
    return {"webhook-id": name, "webhook-timestamp": str(at), "webhook-signature": signature}


def send(body, headers):
    client = Client(enforce_csrf_checks=True, headers=headers)
    return client.post(ADDRESS, body, content_type="application/json")


def test_a_signed_webhook_has_the_payment_settled(unanswered, settings, event):
    Payment.objects.update(due_at=unanswered.now + timedelta(hours=1))
    body = body_of(unanswered.payment.number)

    assert send(body, signed(settings, body)).status_code == 200
    assert work(unanswered.now + timedelta(minutes=1)) == 1

    assert unanswered.payment.state == "succeeded"
    assert money_and_seats_agree(event)


OTHERS_SECRET = "whsec_" + "QUJDREVGR0hJSktMTU5PUFFSU1RVVldYWVo="


@pytest.mark.parametrize("how", ["unsigned", "other_secret", "changed", "old", "early", "no_id"])
def test_what_is_not_signed_now_by_the_gateway_changes_nothing(buyer, settings, how):
    buyer.start()
    due = buyer.payment.due_at
    body = body_of(buyer.payment.number)
    headers = signed(settings, body)
    match how:
        case "unsigned":
            headers = {}
        case "other_secret":
            headers = signed(settings, body, secret=OTHERS_SECRET)
        case "changed":
            body = body.replace("Paid", "Failed")
        case "old":
            headers = signed(settings, body, at=time.time() - 301)
        case "early":
            headers = signed(settings, body, at=time.time() + 330)
        case "no_id":
            del headers["webhook-id"]

    answer = send(body, headers)

    assert (answer.status_code, WebhookReceipt.objects.count()) == (400, 0)
    assert buyer.payment.due_at == due


def test_a_repeat_is_counted_and_no_more(unanswered, settings):
    body = body_of(unanswered.payment.number)
    headers = signed(settings, body)
    send(body, headers)
    much_later = unanswered.now + timedelta(hours=1)
    Payment.objects.update(due_at=much_later)

    assert send(body, headers).status_code == 200

    assert WebhookReceipt.objects.get().repeats == 1
    assert unanswered.payment.due_at == much_later


def test_what_a_webhook_claims_is_not_believed(buyer, settings, event):
    """Signed, but the gateway itself knows of no charge."""
    buyer.start()
    body = body_of(buyer.payment.number)

    send(body, signed(settings, body))
    work(buyer.now + timedelta(minutes=1))

    assert buyer.payment.state == "prepared"


@pytest.mark.parametrize("order", [("Cancelled", "Paid"), ("Failed", "Paid"), ("Paid", "Failed")])
def test_the_order_of_webhooks_does_not_matter(unanswered, settings, event, order):
    for number, kind in enumerate(order):
        body = body_of(unanswered.payment.number, f"Transaction.{kind}")
        send(body, signed(settings, body, name=f"msg_{number}"))
        work(unanswered.now + timedelta(minutes=1 + number))

    assert unanswered.payment.state == "succeeded"
    assert money_and_seats_agree(event)


def test_one_about_something_else_is_only_remembered(settings):
    body = json.dumps({"type": "BillingKey.Issued", "timestamp": "x", "data": {"a": 1}})

    assert send(body, signed(settings, body)).status_code == 200
    assert WebhookReceipt.objects.get().kind == "BillingKey.Issued"


def test_a_get_is_refused():
    assert Client().get(ADDRESS).status_code == 405


@pytest.mark.parametrize("how", [Behaviour.SUCCEED, Behaviour.SEND_TWICE, Behaviour.SEND_LATE])
def test_the_sandboxes_own_webhooks_are_understood(buyer, settings, event, origin, how):
    settings.PAYMENTS_SANDBOX_WEBHOOK = f"{origin}{ADDRESS}"

    buyer.buy(how, seconds=0.2)
    testing.wait()
    work(buyer.now + timedelta(minutes=1))

    kinds = set(WebhookReceipt.objects.values_list("kind", flat=True))
    assert kinds == {"Transaction.Ready", "Transaction.Paid"}
    assert buyer.payment.state == "succeeded"
    assert money_and_seats_agree(event)


def test_a_refund_made_elsewhere_is_found_by_comparing(buyer, settings, event, now):
    payment = buyer.buy()
    total = payment.charged
    ask_gateway(
        "refund",
        number=payment.number,
        amount=total,
        refundable=total,
        reason="console",
        key="k" * 20,
        timeout=60,
    )

    (difference,) = services.reconcile(day=now.astimezone().date(), now=now)
    assert difference.what == "kept"

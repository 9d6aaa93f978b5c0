"""The payment window, as a browser without scripts sees it."""

from urllib.parse import parse_qsl, urlsplit

import pytest
from django.utils import translation

from payments.sandbox import testing
from payments.sandbox.behaviours import COMMON, GROUPS
from payments.sandbox.models import Payment
from payments.sandbox.testing import Behaviour

WINDOW = "/sandbox/portone/checkout/order-1"
ORDER = {
    "redirect": "/pay/back/?seat=7",
    "totalAmount": "154000",
    "currency": "KRW",
    "orderName": "Moonlight Concert",
}


@pytest.fixture(autouse=True)
def _english(client, db, settings):
    settings.PAYMENTS_SANDBOX_WEBHOOK = "http://127.0.0.1:9/"
    client.defaults["HTTP_ACCEPT_LANGUAGE"] = "en"
    yield
    testing.reset()


@pytest.fixture
def window(client):
    return lambda **changes: client.get(WINDOW, ORDER | changes)


@pytest.fixture
def choose(client, window):
    """Sends the form; returns the page to which the fan is sent back, and what it is told."""

    def send(behaviour, seconds="0"):
        window()
        answer = client.post(
            WINDOW, {"behaviour": behaviour, "seconds": seconds}, query_params=ORDER
        )
        assert answer.status_code == 303, answer.content
        parts = urlsplit(answer.headers["Location"])
        return parts.path, dict(parse_qsl(parts.query))

    return send


def test_it_shows_the_order_and_that_no_money_moves(window):
    page = window().content.decode()

    for words in ("SANDBOX: no money moves.", "Moonlight Concert", "₩154,000", "order-1"):
        assert words in page


def test_everything_that_can_happen_can_be_chosen(window):
    page = window().content.decode()
    offered = [*COMMON, *(one for group in GROUPS.values() for one in group), Behaviour.ABANDON]

    assert sorted(offered) == sorted(Behaviour)
    for behaviour in offered:
        assert f'value="{behaviour.value}"' in page


def test_the_fan_comes_back_with_a_token(choose):
    path, told = choose("succeed")

    payment = Payment.objects.get()
    assert path == "/pay/back/"
    assert told == {
        "seat": "7",
        "transactionType": "PAYMENT",
        "txId": payment.transaction_id,
        "paymentId": "order-1",
        "paymentToken": payment.token,
    }


def test_a_declined_fan_comes_back_with_a_reason(choose):
    _, told = choose("decline")

    assert (told["code"], told["pgCode"]) == ("FAILURE_TYPE_PG", "REJECT_CARD_COMPANY")
    assert told["message"] == told["pgMessage"] == "The card was declined."
    assert "paymentToken" not in told


def test_who_closes_the_window_comes_back_unpaid(choose):
    _, told = choose("abandon")

    assert told["pgCode"] == "PAY_PROCESS_CANCELED"
    assert Payment.objects.get().state == "FAILED"


def test_never_is_longer_than_anybody_waits(choose):
    choose("time_out", seconds="1")

    assert Payment.objects.get().seconds > 60


def test_opening_the_window_twice_is_one_try(window):
    window()
    first = Payment.objects.get().transaction_id
    window()

    assert Payment.objects.get().transaction_id == first


def test_a_changed_amount_is_sent_back(window):
    window()

    answer = window(totalAmount="1")

    assert answer.status_code == 303
    assert "code=INFORMATION_MISMATCH" in answer.headers["Location"]
    assert Payment.objects.get().amount == 154_000


def test_without_an_amount_there_is_nothing_to_pay(window):
    assert "code=INVALID_REQUEST" in window(totalAmount="").headers["Location"]


def test_what_is_paid_is_not_paid_again(window):
    window(channelKey="channel-key-sandbox-instant")
    testing.pay("order-1")

    assert "code=ALREADY_PAID" in window().headers["Location"]
    assert len(testing.charges()) == 1


@pytest.mark.parametrize(
    "away", ["https://example.com/", "//example.com/", "javascript:alert(1)", ""]
)
def test_it_leads_nowhere_else(window, away):
    assert window(redirect=away).status_code == 400
    assert not Payment.objects.exists()


@pytest.mark.parametrize(
    "wrong",
    [
        {"behaviour": "fly", "seconds": "0"},
        {"seconds": "0"},
        {"behaviour": "slow", "seconds": "-1"},
        {"behaviour": "slow", "seconds": "9999"},
    ],
)
def test_a_choice_that_is_none_is_asked_again(client, window, wrong):
    window()

    answer = client.post(WINDOW, wrong, query_params=ORDER)

    assert answer.status_code == 400
    assert "errorlist" in answer.content.decode()
    assert Payment.objects.get().state == "READY"


def test_a_plan_is_chosen_already(window):
    testing.plan_next(Behaviour.SEND_TWICE)

    page = window().content.decode()

    assert 'value="send_twice" checked' in page
    assert '<details class="sandbox__trouble" open>' in page


def test_somebody_elses_form_is_refused(window):
    from django.test import Client

    window()
    stranger = Client(enforce_csrf_checks=True)

    answer = stranger.post(WINDOW, {"behaviour": "succeed", "seconds": 0}, query_params=ORDER)

    assert answer.status_code == 403
    assert Payment.objects.get().token == ""


@pytest.mark.parametrize("behaviour", Behaviour)
def test_every_behaviour_has_a_label(behaviour):
    with translation.override("en"):
        assert str(behaviour.label)[0].isupper()

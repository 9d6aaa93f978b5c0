"""The JSON API: start, confirm, look, cancel; each through its owner."""

from uuid import uuid4

import pytest
from django.test import Client

from payments.models import Payment, Refund
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
OWN = {"host": "testserver", "origin": "http://testserver", "accept-language": "en"}
BACKEND = "django.contrib.auth.backends.ModelBackend"


def client_of(user):
    client = Client(headers=OWN)
    client.force_login(user, backend=BACKEND)
    return client


@pytest.fixture
def browser(buyer):
    return client_of(buyer.fan)


def post(client, address, **body):
    return client.post(f"/api/v1/payments/{address}", body, content_type="application/json")


def start(client, buyer, **more):
    held = client.get(f"/api/v1/events/{buyer.event.pk}/reservations/{buyer.code}/").json()
    body = {"reservation": buyer.code, "token": held["payment_token"], "payment_key": buyer.key}
    return post(client, "", **body | more)


def test_from_the_hold_to_the_seats(browser, buyer):
    started = start(browser, buyer)
    assert started.status_code == 201
    number = started.json()["number"]
    assert started.json()["state"] == "PREPARED"
    assert started.json()["checkout"]["payment_id"] == number
    token = testing.pay(number)["paymentToken"]

    confirmed = post(browser, f"{number}/confirm/", payment_token=token)

    assert (confirmed.status_code, confirmed.json()["state"]) == (200, "SUCCEEDED")
    assert browser.get(f"/api/v1/payments/{number}/").json()["state"] == "SUCCEEDED"
    assert Payment.objects.get().language == "en"


def test_an_answer_that_is_late_is_told_as_checking(browser, buyer, settings):
    number = start(browser, buyer).json()["number"]
    token = testing.pay(number, Behaviour.TIME_OUT, seconds=3)["paymentToken"]
    settings.PAYMENT_PATIENCE = 0.5

    confirmed = post(browser, f"{number}/confirm/", payment_token=token)

    assert (confirmed.status_code, confirmed.json()["state"]) == (202, "CHARGING")
    assert confirmed.json()["next_poll_ms"] == 2000


def test_a_decline_is_a_result_and_not_an_error(browser, buyer):
    number = start(browser, buyer).json()["number"]
    token = testing.pay(number, Behaviour.REFUSE)["paymentToken"]

    confirmed = post(browser, f"{number}/confirm/", payment_token=token)

    assert (confirmed.status_code, confirmed.json()["state"]) == (200, "FAILED")
    assert confirmed.json()["failure"] == "REJECT_CARD_PAYMENT"


def test_cancelling_shows_the_fee_first(browser, buyer):
    buyer.buy()
    address = f"{buyer.payment.number}/cancel/"

    terms = browser.get(f"/api/v1/payments/{address}").json()
    assert (terms["percent"], terms["at_most"], terms["fee"]) == (0, None, 0)
    assert terms["back"] == buyer.payment.amount
    done = post(browser, address, fee=terms["fee"])

    assert (done.status_code, done.json()["state"]) == (200, "REFUNDED")


def test_some_seats_are_cancelled_and_the_others_stay(browser, buyer):
    buyer.buy()
    address = f"{buyer.payment.number}/cancel/"
    terms = browser.get(f"/api/v1/payments/{address}").json()
    free = {"fee": 0, "back": 154_000, "obstacle": None}
    assert terms["seats"] == [{"id": seat} | free for seat in buyer.seats]

    done = post(browser, address, fee=0, seats=buyer.seats[:1]).json()

    assert (done["state"], done["refunded"]) == ("PARTIALLY_REFUNDED", 154_000)
    held = browser.get(f"/api/v1/events/{buyer.event.pk}/reservations/{buyer.code}/").json()
    assert [seat["id"] for seat in held["seats"]] == buyer.seats[1:]


@pytest.mark.parametrize("seats", [[], ["x"], [0], [2**70], "all", list(range(1, 200))])
def test_what_names_no_seats_is_refused(browser, buyer, seats):
    buyer.buy()

    assert post(browser, f"{buyer.payment.number}/cancel/", fee=0, seats=seats).status_code == 400
    assert buyer.payment.state == "succeeded"


def cancel_twice(browser, buyer, **second):
    address = f"{buyer.payment.number}/cancel/"
    return [post(browser, address, **wish) for wish in ({"fee": 0}, {"fee": 0} | second)]


def told(answer):
    return answer.status_code, answer.json() | {"server_time": None}


def test_a_repeated_cancel_reads_the_same_answer(browser, buyer):
    buyer.buy()

    first, second = cancel_twice(browser, buyer)

    assert told(first) == told(second)
    assert (second.status_code, second.json()["state"]) == (200, "REFUNDED")
    assert Refund.objects.count() == 1


def test_a_cancel_repeated_while_the_money_is_on_its_way_reads_so(browser, buyer):
    buyer.buy(Behaviour.REFUND_PENDING, seconds=60)

    first, second = cancel_twice(browser, buyer)

    assert told(first) == told(second)
    assert (second.status_code, second.json()["state"]) == (202, "REFUNDING")


@pytest.mark.parametrize("fee", [1, 10**18])
def test_a_cancel_for_another_fee_is_no_repeat(browser, buyer, fee):
    buyer.buy()

    _, second = cancel_twice(browser, buyer, fee=fee)

    assert (second.status_code, second.json()["code"]) == (409, "not_refundable")


@pytest.mark.parametrize("address", ["", "confirm/", "cancel/"])
def test_anothers_payment_is_not_there(buyer, rival, address):
    buyer.start()
    stranger = client_of(rival)
    whole = f"{buyer.payment.number}/{address}"
    answer = post(stranger, whole, fee=0) if address else stranger.get(f"/api/v1/payments/{whole}")

    assert (answer.status_code, answer.json()["code"]) == (404, "no_payment")


def test_who_is_not_logged_in_pays_nothing(buyer):
    assert start_without(Client(headers=OWN), buyer).status_code == 401


def start_without(client, buyer):
    return post(client, "", reservation=buyer.code, token=buyer.token, payment_key=uuid4())


@pytest.mark.parametrize(
    "wrong", [{"payment_key": "no uuid"}, {"token": ""}, {"reservation": "x" * 50}]
)
def test_what_can_not_be_read_is_refused(browser, buyer, wrong):
    assert start(browser, buyer, **wrong).status_code == 400
    assert not Payment.objects.exists()


def test_a_forged_token_is_refused(browser, buyer):
    answer = start(browser, buyer, token="qp_a.b")

    assert (answer.status_code, answer.json()["code"]) == (403, "bad_payment_token")


def test_nobody_keeps_a_copy(browser, buyer):
    assert start(browser, buyer)["Cache-Control"] == "no-store"


def test_another_site_can_not_make_a_browser_pay(buyer):
    stranger = client_of(buyer.fan)
    body = {"reservation": buyer.code, "token": buyer.token, "payment_key": str(buyer.key)}

    answer = stranger.post(
        "/api/v1/payments/",
        body,
        content_type="application/json",
        headers={"origin": "https://evil.example"},
    )

    assert (answer.status_code, answer.json()["code"]) == (403, "foreign_origin")

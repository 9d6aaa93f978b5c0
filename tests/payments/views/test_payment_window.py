"""Through the payment window and back, with the sandbox behind a real server."""

from uuid import uuid4

import pytest
from django.test import override_settings

from payments import store
from payments.models import Payment
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from reservations.models import Reservation
from tests.payments.views.browser import begin, pay
from ticketing.core.event_loop import blocking

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
# As with a real store; nothing of it is called in these tests.
REAL = {
    "PAYMENTS_SANDBOX": False,
    "PORTONE_STORE_ID": "store-1",
    "PORTONE_CHANNEL_KEY": "channel-1",
}


def test_the_basket_leads_there_and_while_paying_says_so(me, buyer):
    address = f"/events/{buyer.event.pk}/basket/"
    assert f'href="{pay(buyer)}">Pay ₩' in me.open(address)
    begin(me, buyer)

    page = me.open(address)

    assert f'href="{pay(buyer)}">Continue paying</a>' in page
    assert "Release these seats" not in page
    assert 'role="timer"' not in page


def test_what_is_being_paid_has_no_timer_on_the_map(me, buyer):
    buyer.start()

    page = me.open(f"/events/{buyer.event.pk}/seats/")

    assert "Payment is in progress." in page
    assert "data-deadline" not in page


def test_one_press_leads_to_the_payment_window_with_the_order_on_it(me, buyer):
    page = begin(me, buyer)

    assert "SANDBOX: no money moves." in page
    assert me.address == f"/sandbox/portone/checkout/{Payment.objects.get().number}"
    assert f"Pay ₩{buyer.reservation.total:,}" in page
    assert str(buyer.event.title_en) in page


def test_pressing_twice_is_one_payment(me, buyer):
    begin(me, buyer)
    number = Payment.objects.get().number
    me.page = ""
    wish = {"key": str(Payment.objects.get().payment_key), "token": buyer.token, "agreed": "1"}

    me.send(pay(buyer), **wish)

    assert me.address.endswith(number)
    assert Payment.objects.count() == 1


def test_another_tab_is_led_to_the_same_payment(me, buyer):
    begin(me, buyer)

    page = me.open(pay(buyer))
    assert (me.heading, me.status) == ("Not paid yet", 200)
    assert "Continue and pay ₩" in page
    me.send(pay(buyer))

    assert me.address.startswith("/sandbox/portone/checkout/")
    assert Payment.objects.count() == 1


def test_the_way_back_without_a_script_ends_at_the_seats(me, buyer):
    begin(me, buyer)

    me.pay_in_the_window()

    assert me.heading == "The seats are yours"
    assert Reservation.objects.get().state == "confirmed"
    assert Payment.objects.get().language == "en"


def test_what_is_bought_already_is_an_order(me, paid):
    me.open(pay(paid))
    assert me.address == f"/orders/{paid.code}/"

    me.send(pay(paid), key=str(uuid4()), token=paid.token, agreed="1")
    assert me.address == f"/orders/{paid.code}/"
    assert len(testing.charges()) == 1


def test_anothers_order_is_not_there(stranger, paid):
    for rest in ("pay/", "", "cancel/", "receipt/"):
        stranger.open(f"/orders/{paid.code}/{rest}")
        assert (stranger.status, stranger.heading) == (404, "You have no such reservation.")


def test_anothers_payment_is_not_there(stranger, buyer):
    number = buyer.start().number
    for rest in ("", "window/", "return/?code=X", f"return/?paymentId={number}"):
        stranger.open(f"/payments/{number}/{rest}")
        assert (stranger.status, stranger.heading) == (404, "You have no such payment.")

    assert stranger.post(f"/payments/{number}/stop/").status_code == 404
    assert buyer.payment.state == "prepared"


def test_a_gateway_that_is_away_is_said_and_can_be_tried_again(me, buyer, settings, base):
    settings.PORTONE_URL = "http://127.0.0.1:9/nowhere"
    page = begin(me, buyer)
    assert "Payment is not possible at the moment. Nothing was charged" in page
    assert me.heading == "Not paid yet"

    settings.PORTONE_URL = base
    me.send(pay(buyer))

    assert me.address.startswith("/sandbox/portone/checkout/")


def test_an_open_breaker_is_said_too(me, buyer, monkeypatch):
    monkeypatch.setattr(store, "MIN_OUTAGE_MS", 0)
    for _ in range(store.MIN_CALLS):
        blocking(store.record_call)("portone", succeeded=False)

    page = begin(me, buyer)

    assert "Payment is not possible at the moment." in page
    assert 'role="timer"' in page


def test_who_closes_the_window_may_try_again(me, buyer):
    begin(me, buyer)

    page = me.pay_in_the_window(Behaviour.ABANDON)

    assert me.heading == "Nothing was charged"
    assert "The payment window was closed before anything was paid." in page
    assert buyer.reservation.state == "held"


def test_who_would_rather_not_pay_has_the_seats_only_held_again(me, buyer):
    begin(me, buyer)
    me.open(pay(buyer))
    number = Payment.objects.get().number

    me.send(f"/payments/{number}/stop/")

    assert me.heading == "Nothing was charged"
    assert Payment.objects.get().state == "cancelled"
    assert buyer.reservation.state == "held"
    assert "Release these seats" in me.open(f"/events/{buyer.event.pk}/basket/")


def test_who_says_not_to_have_paid_but_did_has_the_seats(me, buyer, settings):
    settings.PORTONE_MANUAL_CONFIRM = False
    settings.PORTONE_CHANNEL_KEY = "channel-key-sandbox-direct"
    buyer.start()
    buyer.agree()

    me.open(f"/payments/{buyer.payment.number}/return/?code=ODD")

    assert me.heading == "The seats are yours"


def test_who_turned_back_can_not_be_charged_by_a_window_that_was_left_open(me, buyer):
    payment = buyer.start()
    answer = buyer.agree()
    me.send(f"/payments/{payment.number}/stop/")

    me.open(
        f"/payments/{payment.number}/return/?paymentToken={answer['paymentToken']}"
        f"&paymentId={payment.number}"
    )

    assert me.heading == "Nothing was charged"
    assert testing.net_charged(payment.number) == 0


def test_turning_back_while_the_gateway_is_away_changes_nothing(me, buyer, settings):
    payment = buyer.start()
    settings.PORTONE_URL = "http://127.0.0.1:9/nowhere"

    me.send(f"/payments/{payment.number}/stop/")

    assert buyer.payment.state == "prepared"


def test_turning_back_too_late_finds_what_was_paid(me, paid):
    me.open(f"/payments/{paid.payment.number}/return/?code=ODD")

    assert me.heading == "The seats are yours"


def test_an_address_made_up_by_hand_charges_nothing(me, buyer):
    payment = buyer.start()

    me.open(f"/payments/{payment.number}/return/")

    assert me.heading == "Not paid yet"
    assert buyer.payment.state == "prepared"


def test_coming_back_twice_is_once(me, buyer):
    payment = buyer.start()
    answer = buyer.agree()
    for _ in range(2):
        me.client.get(f"/payments/{payment.number}/return/", answer)

    assert buyer.payment.state == "succeeded"
    assert len(testing.charges()) == 1


def opened(me, number):
    with override_settings(**REAL):
        return me.open(f"/payments/{number}/window/")


def test_with_keys_the_page_opens_portones_window_and_lets_it_in(me, buyer):
    number = buyer.start().number

    page = opened(me, number)

    assert '<script src="https://cdn.portone.io/v2/browser-sdk.js" defer>' in page
    assert f'"paymentId": "{number}"' in page
    assert f'"redirectUrl": "http://localhost/payments/{number}/return/"' in page
    assert '"payMethod": "CARD"' in page
    assert me.response["Cross-Origin-Opener-Policy"] == "same-origin-allow-popups"
    policy = me.response["Content-Security-Policy"]
    for part in ("script-src", "frame-src", "connect-src", "form-action"):
        assert f"{part} 'self' https://*.portone.io https://*.iamport.co" in policy
    assert "unsafe" not in policy


def test_no_other_page_lets_portone_in(me, buyer):
    number = buyer.start().number
    for address in (f"/payments/{number}/", f"/payments/{number}/window/", "/orders/"):
        me.open(address)
        assert "portone.io" not in me.response["Content-Security-Policy"]


def test_a_window_of_what_is_over_is_not_opened(me, paid):
    opened(me, paid.payment.number)

    assert me.heading == "The seats are yours"

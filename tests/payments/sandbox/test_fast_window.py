"""The window in the event loop shows and does what the view does; the view gets the rest."""

import re
from urllib.parse import parse_qsl, urlencode, urlsplit

import httpx
import pytest
from django.db import OperationalError

from payments.sandbox import asgi, fast_window, testing
from payments.sandbox.models import Payment, Webhook
from payments.sandbox.testing import Behaviour
from tests.payments.sandbox.conftest import AMOUNT

ORDER = {
    "redirect": "/pay/back/?seat=7",
    "totalAmount": str(AMOUNT),
    "currency": "KRW",
    "orderName": "Moon & <b>Sun</b>",
}
TOKEN = re.compile(r'name="csrfmiddlewaretoken" value="([^"]+)"')


class Browser:
    """Keeps cookies, follows nothing."""

    def __init__(self, base: str, **headers: str) -> None:
        self.client = httpx.Client(headers={"accept-language": "en"} | headers, timeout=60)
        self.address = f"{base}/checkout/order-1?{urlencode(ORDER)}"

    def open(self, **changes: str) -> httpx.Response:
        address = self.address.partition("?")[0]
        return self.client.get(f"{address}?{urlencode(ORDER | changes)}")

    def choose(self, behaviour: str = "succeed", **more: str) -> httpx.Response:
        token = TOKEN.findall(self.open().text)[0]
        form = {"csrfmiddlewaretoken": token, "behaviour": behaviour, "seconds": "3"} | more
        return self.client.post(self.address, data=form)


@pytest.fixture
def browser(base, registered):
    return Browser(base)


@pytest.fixture
def only_view(monkeypatch):
    async def leave(scope, receive, send):
        return receive

    monkeypatch.setattr(fast_window, "respond", leave)


@pytest.fixture
def no_view(monkeypatch):
    def refuse():
        raise AssertionError("this request should not reach the view")

    monkeypatch.setattr(asgi, "_pages", refuse)


def test_an_ordinary_payer_never_reaches_the_view(browser, portone, shop, no_view):
    answer = browser.choose()

    told = dict(parse_qsl(urlsplit(answer.headers["location"]).query))
    payment = Payment.objects.get()
    assert answer.status_code == 303
    assert told == {
        "seat": "7",
        "transactionType": "PAYMENT",
        "txId": payment.transaction_id,
        "paymentId": "order-1",
        "paymentToken": payment.token,
    }
    portone.confirm_payment(payment_id="order-1", payment_token=told["paymentToken"])
    assert testing.net_charged("order-1") == AMOUNT
    assert shop.kinds == ["Paid", "Ready"]


def different(one: httpx.Response, other: httpx.Response) -> set[str]:
    """The names of headers that differ; `Vary` is a set."""
    both = [
        {**each.headers, "vary": ",".join(sorted(each.headers["vary"].split(", ")))}
        for each in (one, other)
    ]
    return dict(both[0].items() ^ both[1].items()).keys() | set()


@pytest.mark.parametrize("language", ["en", "ko"])
def test_the_page_and_its_headers_are_those_of_the_view(base, registered, request, language):
    browser = Browser(base, **{"accept-language": language})
    browser.open()
    fast = browser.open()
    request.getfixturevalue("only_view")
    page = browser.open()

    changing = {"set-cookie", "date", "expires", "content-length"}
    assert TOKEN.sub("", fast.text) == TOKEN.sub("", page.text)
    assert different(fast, page) <= changing
    assert "Moon &amp; &lt;b&gt;Sun&lt;/b&gt;" in fast.text


def test_the_redirect_has_the_headers_of_the_view(browser, request):
    fast = browser.choose()
    request.getfixturevalue("only_view")
    page = browser.choose()

    changing = {"set-cookie", "date", "expires", "location", "content-type"}
    assert (fast.status_code, page.status_code) == (303, 303)
    assert different(fast, page) <= changing


def rows_of_a_window(browser):
    browser.open()
    browser.choose()
    testing.webhooks_of("order-1")
    ids = {"id", "transaction_id", "token", "opened_at", "changed_at", "payment_id"}
    ids |= {"webhook_id", "made_at", "sent_at", "body"}
    rows = [*Payment.objects.values(), *Webhook.objects.values()]
    return [{name: it for name, it in row.items() if name not in ids} for row in rows]


def test_it_leaves_the_rows_of_the_view(browser, portone, request):
    fast = rows_of_a_window(browser)
    testing.reset()
    portone.pre_register_payment(payment_id="order-1", total_amount=AMOUNT, currency="KRW")
    request.getfixturevalue("only_view")

    assert rows_of_a_window(browser) == fast


def test_opening_it_again_is_the_same_try(browser, shop):
    browser.open()
    first = Payment.objects.get().transaction_id
    browser.open()

    assert Payment.objects.get().transaction_id == first
    assert shop.kinds == ["Ready"]


def test_a_changed_amount_is_sent_back(browser):
    answer = browser.open(totalAmount="1")

    assert "code=INFORMATION_MISMATCH" in answer.headers["location"]


@pytest.mark.parametrize("away", ["https://example.com/", "//example.com/", "javascript:alert(1)"])
def test_it_leads_nowhere_else(browser, away):
    assert browser.open(redirect=away).status_code == 400
    assert Payment.objects.get().state == "REGISTERED"


@pytest.mark.parametrize(
    "wrong", [{"behaviour": "fly"}, {"seconds": "-1"}, {"seconds": "9999"}, {"seconds": "nan"}]
)
def test_a_choice_that_is_none_is_asked_again(browser, wrong):
    assert browser.choose(**wrong).status_code == 400
    assert Payment.objects.get().token == ""


def test_another_card_is_left_to_the_view(browser):
    answer = browser.choose("decline")

    assert "pgCode=REJECT_CARD_COMPANY" in answer.headers["location"]
    assert Payment.objects.get().state == "FAILED"


def test_a_plan_is_left_to_the_view(browser):
    testing.plan_next(Behaviour.SEND_TWICE)

    assert 'value="send_twice" checked' in browser.open().text


def test_a_lost_database_connection_is_left_to_the_view(browser, monkeypatch):
    async def lose_connection(*args):
        raise OperationalError("the server closed the connection")

    monkeypatch.setattr(fast_window, "arows", lose_connection)

    assert browser.choose().status_code == 303
    assert Payment.objects.get().token


def test_a_channel_that_charges_at_once_is_left_to_the_view(browser):
    browser.address += "&channelKey=channel-key-sandbox-instant"
    browser.client.get(browser.address)
    browser.choose()

    assert Payment.objects.get().state == "PAID"


@pytest.mark.parametrize("token", ["", "a" * 64])
def test_somebody_elses_form_is_refused(browser, token):
    browser.open()

    assert browser.choose(csrfmiddlewaretoken=token).status_code == 403
    assert Payment.objects.get().token == ""


def test_a_form_of_another_site_is_refused(browser):
    browser.client.headers["origin"] = "https://example.com"

    assert browser.choose().status_code == 403
    assert Payment.objects.get().token == ""


def test_the_cookie_of_another_browser_is_refused(browser, base):
    token = TOKEN.findall(browser.open().text)[0]
    stranger = Browser(base)

    assert stranger.choose(csrfmiddlewaretoken=token).status_code == 403

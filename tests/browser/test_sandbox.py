"""The sandbox's payment window on a phone: readable, reachable, and without scripts."""

import pytest
from playwright.sync_api import expect

from payments.sandbox import testing
from payments.sandbox.models import Payment
from tests.browser.quality import violations

WINDOW = (
    "/sandbox/portone/checkout/order-1"
    "?redirect=/accounts/log-in/&totalAmount=154000&orderName=Moonlight+Concert"
)
SMALL = """() => [...document.querySelectorAll("main label, main button, main summary")]
    .filter((e) => e.checkVisibility() && !e.matches(".field > label"))
    .filter((e) => e.getBoundingClientRect().height < 44).map((e) => e.outerHTML)"""


@pytest.fixture(autouse=True)
def _forgotten(site, settings):
    settings.PAYMENTS_SANDBOX_WEBHOOK = "http://127.0.0.1:9/"
    yield
    testing.reset()


@pytest.mark.parametrize("language", ["en", "ko"])
def test_axe_finds_nothing_and_fingers_find_everything(open_page, language):
    page = open_page(WINDOW, viewport={"width": 360, "height": 640}, locale=language)

    expect(page.locator("html")).to_have_attribute("lang", language)
    page.locator("summary").click()

    assert violations(page, colours=language == "en") == []
    assert page.evaluate(SMALL) == []
    assert page.evaluate("document.documentElement.scrollWidth") == 360


def test_a_fan_pays_without_scripts(open_page):
    page = open_page(WINDOW, java_script_enabled=False)

    page.get_by_role("button", name="Pay ₩154,000").click()

    assert f"paymentToken={Payment.objects.get().token}" in page.url


def test_a_fan_who_turns_back_is_told_why(page):
    page.goto(WINDOW)

    page.get_by_role("button", name="Close without paying").click()

    assert "code=FAILURE_TYPE_PG" in page.url
    assert "pgCode=PAY_PROCESS_CANCELED" in page.url


def test_trouble_can_be_ordered(page):
    page.goto(WINDOW)
    page.get_by_text("More that can go wrong").click()
    page.get_by_label("Slow: charged late, answered late").check()
    page.get_by_label("Seconds").fill("2.5")

    page.get_by_role("button", name="Pay ₩154,000").click()

    payment = Payment.objects.get()
    assert (payment.behaviour, payment.seconds) == ("slow", 2.5)

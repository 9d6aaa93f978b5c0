"""From the line to the order, in a real browser; with a decline on the way, and without scripts."""

import re
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from playwright.sync_api import Locator, Page, expect

from payments import services as payments
from payments.models import Payment
from payments.sandbox import testing
from reservations.models import Reservation
from tests.browser.conftest import connection_status, skip_time_until
from tests.browser.quality import SMALL_CONTROLS, violations
from tests.making import make_event, make_plan, seat_ids
from tests.reservations import acting
from tests.waiting import wait_until
from ticketing.core import clock
from ticketing.events.models import Event
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

MOST_TABS = 60
# Stands in for PortOne's script: answers as its window does when the fan agreed, or did not.
SCRIPT = """window.PortOne = { requestPayment: async (wish) => {
  window.asked = wish;
  if (!window.again) { window.again = true; throw new Error("no window"); }
  return { paymentId: wish.paymentId, txId: "tx-1", code: "FAILURE", message: "closed" };
} };"""


@pytest.fixture(autouse=True)
def sandbox_gateway(site, settings) -> Iterator[None]:
    """Our pages pay at the sandbox of the same server."""
    settings.PORTONE_URL = f"{site}/sandbox/portone"
    settings.PAYMENTS_SANDBOX_WEBHOOK = "http://127.0.0.1:9/"
    yield
    testing.reset()


@pytest.fixture
def sale(site, now) -> Event:
    """Behind a line in which there is room."""
    event = make_event(now, plan=make_plan(rows=3, seats_per_row=8))
    SaleQueue.objects.create(event=event, opens_at=now, admit_per_second=0)
    queue.move_queue(event_id=event.pk, to="open", by=None, now=now)
    return event


def hold(event, fan, first=0):
    """As the seat map does it."""
    now = clock.now()
    queue.join(event_id=event.pk, person=str(fan.pk), now=now)
    seats = seat_ids(event)[first : first + 2]
    held = acting.hold(event, fan, now, *seats)
    return held.reservation


def heading(page: Page, words: str) -> None:
    expect(page.get_by_role("heading", level=1)).to_have_text(words)


def agree_and_pay(page: Page) -> None:
    page.get_by_label("I have read and agree to the cancellation terms.").check()
    page.get_by_role("button", name=re.compile("^Pay ₩")).click()
    expect(page.get_by_text("SANDBOX: no money moves.")).to_be_visible()


def choose(page: Page, behaviour: str) -> None:
    """In the payment window."""
    page.get_by_label(behaviour).check()
    page.get_by_role("button", name=re.compile("^Pay ₩")).click()


@pytest.mark.parametrize("script", [True, False])
def test_from_the_line_to_the_ticket_with_a_decline_in_between(open_page, sale, fan, script):
    page = open_page(f"/events/{sale.pk}/", fan, java_script_enabled=script)
    page.get_by_role("link", name="Go to the line").click()
    page.get_by_role("button", name="Join the line").click()
    heading(page, "Where would you like to sit?")
    page.get_by_role("button", name="Hold the best seats").click()
    heading(page, "These seats are held for you")
    page.get_by_role("link", name=re.compile("^Pay ₩")).click()
    heading(page, "Check and pay")
    agree_and_pay(page)

    choose(page, "The card is declined at once")
    heading(page, "Nothing was charged")
    expect(page.get_by_text("Your card company declined the payment.")).to_be_visible()
    page.get_by_role("button", name=re.compile("^Try again: pay ₩")).click()
    choose(page, "It succeeds")

    heading(page, "The seats are yours")
    page.get_by_role("link", name="To your order").click()
    heading(page, sale.title_en)
    expect(page.locator(".house__head .badge")).to_have_text("Paid")
    expect(page.locator(".order__code")).to_contain_text(Reservation.objects.get().code)
    expect(page.locator(".tickets__link")).to_have_count(2)
    page.locator(".tickets__link").first.click()
    expect(page.locator("img[src$='qr.svg']")).to_be_visible()
    assert [p.state for p in Payment.objects.order_by("pk")] == ["failed", "succeeded"]
    page.goto(f"/events/{sale.pk}/queue/")
    heading(page, "You have bought your seats")


def tab_to(page: Page, target: Locator) -> None:
    """Press Tab until this has the focus."""
    target.wait_for()
    for _ in range(MOST_TABS):
        if target.evaluate("it => it === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError("the keyboard does not get there")


def press(page: Page, role: Any, name: str) -> None:
    tab_to(page, page.get_by_role(role, name=re.compile(name)).first)
    page.keyboard.press("Enter")


def test_from_home_to_the_ticket_with_the_keyboard_alone(open_page, sale, fan):
    page = open_page("/", fan)
    press(page, "link", sale.title_en)
    press(page, "link", "^Go to the line")
    press(page, "button", "^Join the line")
    heading(page, "Where would you like to sit?")
    expect(connection_status(page)).to_have_text("Live")
    tab_to(page, page.locator("#map-view"))
    page.keyboard.press("ArrowDown")
    page.keyboard.press("Enter")
    press(page, "button", "^Hold these seats")
    heading(page, "These seats are held for you")
    press(page, "link", "^Pay ₩")
    heading(page, "Check and pay")
    tab_to(page, page.get_by_label("I have read and agree to the cancellation terms."))
    page.keyboard.press("Space")
    press(page, "button", "^Pay ₩")
    expect(page.get_by_text("SANDBOX: no money moves.")).to_be_visible()
    tab_to(page, page.get_by_label("It succeeds"))
    press(page, "button", "^Pay ₩")
    heading(page, "The seats are yours")
    press(page, "link", "^To your tickets")

    expect(page.get_by_role("img", name=re.compile("^QR code of this ticket"))).to_be_visible()


def test_an_answer_that_is_late_is_waited_for_and_the_page_changes_by_itself(
    open_page, sale, fan, settings
):
    settings.PAYMENT_PATIENCE = 1
    held = hold(sale, fan)
    page = open_page(f"/orders/{held.code}/pay/", fan)
    agree_and_pay(page)
    page.get_by_text("More that can go wrong").click()
    page.get_by_label("Seconds").fill("2")
    choose(page, "Slow: charged late, answered late")
    heading(page, "Checking your payment")
    assert violations(page) == []

    wait_until(lambda: testing.net_charged(Payment.objects.get().number) > 0)
    payments.settle_payment(pk=Payment.objects.get().pk, now=clock.now() + timedelta(seconds=5))

    heading(page, "The seats are yours")


def test_the_back_button_a_reload_and_a_second_tab_pay_once(open_page, sale, fan):
    held = hold(sale, fan)
    page = open_page(f"/orders/{held.code}/pay/", fan, prepare=lambda page: page.clock.install())
    agree_and_pay(page)
    second = page.context.new_page()
    second.goto(f"/events/{sale.pk}/basket/")
    second.get_by_role("link", name="Continue paying").click()
    heading(second, "Not paid yet")

    choose(page, "It succeeds")
    heading(page, "The seats are yours")
    page.reload()
    heading(page, "The seats are yours")
    # The second tab looks again by itself.
    skip_time_until(second, lambda: second.locator("h1").inner_text() == "The seats are yours")
    page.go_back()  # to the window, which is over
    page.goto(f"/orders/{held.code}/pay/")

    heading(page, sale.title_en)
    assert len(testing.charges()) == 1


def test_an_order_is_cancelled_once_the_fee_was_shown(open_page, sale, fan):
    held = hold(sale, fan)
    page = open_page(f"/orders/{held.code}/pay/", fan)
    agree_and_pay(page)
    choose(page, "It succeeds")
    page.get_by_role("link", name="My orders").click()
    page.get_by_role("link", name=sale.title_en).click()
    page.get_by_role("link", name="Cancel all or some seats").click()
    expect(page.get_by_text("Your refund")).to_be_visible()

    page.get_by_role("button", name="Cancel without a fee").click()

    expect(page.locator(".badge").first).to_have_text("Cancelled")
    assert testing.net_charged(Payment.objects.get().number) == 0


def test_a_seat_that_is_not_ticked_stays(open_page, sale, fan):
    held = hold(sale, fan)
    page = open_page(f"/orders/{held.code}/pay/", fan)
    agree_and_pay(page)
    choose(page, "It succeeds")
    heading(page, "The seats are yours")
    page.goto(f"/orders/{held.code}/cancel/")
    expect(page.locator("[data-sums]")).to_contain_text("₩308,000")

    page.get_by_role("checkbox").first.uncheck()
    expect(page.locator("[data-sums]")).to_contain_text("1 seat₩154,000")
    page.get_by_role("button", name="Cancel without a fee").click()

    expect(page.locator(".badge").first).to_have_text("Paid, partly cancelled")
    assert testing.net_charged(Payment.objects.get().number) == 154_000


def test_portones_own_script_is_let_in_asked_and_listened_to(open_page, sale, fan, settings):
    held = hold(sale, fan)
    page = open_page(f"/orders/{held.code}/pay/", fan)
    agree_and_pay(page)
    number = Payment.objects.get().number
    page.route(settings.PORTONE_SDK_URL, lambda route: route.fulfill(body=SCRIPT))
    settings.PAYMENTS_SANDBOX = False
    page.goto(f"/payments/{number}/window/")
    settings.PAYMENTS_SANDBOX = True
    expect(page.get_by_text("The payment window could not be opened.")).to_be_visible()
    asked = page.evaluate("window.asked")
    assert (asked["paymentId"], asked["totalAmount"]) == (number, held.total)
    assert violations(page) == []

    page.get_by_role("button", name=re.compile("^Pay ₩")).click()

    heading(page, "Nothing was charged")
    assert Payment.objects.get().state == "cancelled"


def test_every_page_is_readable_and_fingers_find_every_control(open_page, sale, fan):
    page = open_page(None, fan, reduced_motion="reduce", viewport={"width": 320, "height": 640})
    bought, begun = hold(sale, fan), hold(sale, fan, first=2)
    page.goto(f"/orders/{bought.code}/pay/")
    passes_quality_checks(page)
    agree_and_pay(page)
    choose(page, "It succeeds")
    heading(page, "The seats are yours")
    passes_quality_checks(page)
    page.goto(f"/orders/{begun.code}/pay/")
    agree_and_pay(page)
    page.goto(f"/orders/{begun.code}/pay/")
    heading(page, "Not paid yet")
    passes_quality_checks(page)
    page.get_by_role("button", name="Cancel payment").click()
    heading(page, "Nothing was charged")
    passes_quality_checks(page)
    mine = f"/orders/{bought.code}/"
    for path in ("/orders/", mine, f"{mine}receipt/", f"{mine}cancel/"):
        page.goto(path)
        passes_quality_checks(page)


def passes_quality_checks(page: Page) -> None:
    assert violations(page) == [], page.url
    assert page.evaluate(SMALL_CONTROLS) == [], page.url
    assert page.evaluate("document.documentElement.scrollWidth") == 320, page.url

"""Sold out, and still there: the standby list in a real browser, as a fan and as an operator."""

import re

import pytest
from playwright.sync_api import expect

from reservations import services
from reservations.models import Reservation, StandbyEntry
from reservations.views import standby as pages
from tests.browser.quality import SMALL_CONTROLS, violations
from tests.browser.test_purchase import agree_and_pay, choose, heading, sandbox_gateway
from tests.making import make_event, make_plan
from tests.reservations.standby.acting import all_sold, joined, refunded, states_of
from ticketing.core import clock
from ticketing.events.models import Event
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue

__all__ = ["sandbox_gateway"]


@pytest.fixture
def sold_out(site, now) -> Event:
    plan = make_plan(rows=2, seats_per_row=4)
    event = make_event(now, plan=plan, returns="standby", offer_seconds=600)
    all_sold(event, now)
    services.process_returned_seats(now=now)
    return event


def give_back(event: Event, count: int) -> None:
    """The first seats of the first row, as refunds would; then the clock goes round."""
    sold = Reservation.objects.filter(event=event, state="confirmed").order_by("pk")
    refunded(clock.now(), *sold[:count])
    services.process_returned_seats(now=clock.now())


def test_from_sold_out_by_the_standby_list_to_the_ticket(open_page, sold_out, fan, monkeypatch):
    monkeypatch.setattr(pages, "RELOAD_SECONDS", 1)
    page = open_page(f"/events/{sold_out.pk}/", fan)
    page.get_by_role("link", name="To the standby list").click()
    page.locator(".count", has_text="2").click()
    page.get_by_role("button", name="Join the standby list").click()
    heading(page, "You are on the standby list")
    expect(page.locator(".turn__number")).to_have_text("1")
    expect(page.get_by_text("You are waiting for 2 seats together.")).to_be_visible()
    assert violations(page) == []

    give_back(sold_out, 2)

    heading(page, "Seats for you")  # by itself
    expect(page.locator("[data-left]")).to_have_text(re.compile(r"^(9|10):\d\d$"))
    assert violations(page) == []
    assert page.evaluate(SMALL_CONTROLS) == []
    page.get_by_role("link", name=re.compile("^Pay ₩")).click()
    agree_and_pay(page)
    choose(page, "It succeeds")
    heading(page, "The seats are yours")
    page.get_by_role("link", name="To your order").click()
    expect(page.locator(".house__head .badge")).to_have_text("Paid")
    page.goto("/tickets/")
    expect(page.locator("a[href^='/tickets/']", has_text="row 1")).to_have_count(2)
    services.process_returned_seats(now=clock.now())
    assert StandbyEntry.objects.get().state == "taken"


def test_people_in_line_are_told_at_once_and_keep_their_place_with_one_press(
    open_page, site, fan, now
):
    event = make_event(now, plan=make_plan(rows=2, seats_per_row=4))
    rules = {"opens_at": now, "admit_per_second": 0.001}
    queue.create_queue(event_id=event.pk, by=None, now=now, **rules)
    queue.move_queue(event_id=event.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    queue.join(event_id=event.pk, person=str(fan.pk), now=now)
    queue.tick_open_queues(now=clock.now())
    page = open_page(f"/events/{event.pk}/queue/", fan)
    heading(page, "You are in line")
    keep = page.get_by_role("button", name="Keep my place on the standby list")
    expect(keep).to_be_hidden()

    all_sold(event, now)
    queue.tick_open_queues(now=clock.now())

    expect(keep).to_be_visible()  # by itself
    expect(page.locator("#line-view [data-eta]")).to_have_text("none: all seats are sold")
    assert violations(page) == []
    assert page.evaluate(SMALL_CONTROLS) == []
    page.get_by_label("Seats for you and your companions").select_option("3")
    keep.click()
    heading(page, "You are on the standby list")
    expect(page.locator(".turn__number")).to_have_text("1")
    expect(page.get_by_text("You are waiting for 3 seats together.")).to_be_visible()


def test_an_operator_sees_the_list_in_order_and_takes_somebody_off(operator_page, sold_out):
    first, second = (joined(sold_out, clock.now(), quantity=n) for n in (3, 1))
    give_back(sold_out, 1)  # one seat: it fits the second only

    operator_page.goto("/admin/reservations/standbyentry/")
    rows = operator_page.locator("#result_list tbody tr")
    expect(rows).to_have_count(2)
    expect(rows.nth(0)).to_contain_text(first.fan.email)
    expect(rows.nth(1)).to_contain_text("seats offered")
    assert violations(operator_page) == []

    rows.nth(1).get_by_role("link").first.click()
    operator_page.get_by_role("link", name="Take off the list").click()
    expect(operator_page.get_by_text("go to the next on the list")).to_be_visible()
    operator_page.get_by_label("Why").fill("bought elsewhere")
    operator_page.get_by_role("button", name="Confirm").click()
    expect(operator_page.locator(".messagelist")).to_contain_text("off the standby list")
    expect(operator_page.get_by_text("bought elsewhere")).to_be_visible()
    assert states_of(first, second) == ["waiting", "left"]

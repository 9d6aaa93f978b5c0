from datetime import timedelta

import pytest
from playwright.sync_api import expect

from tests.making import make_event
from ticketing.core import clock
from ticketing.events import services
from ticketing.events.models import Event


def test_a_fan_walks_from_home_to_a_section(page, on_sale):
    page.goto("/")
    page.get_by_role("link", name=on_sale.title_en).tap()
    page.get_by_role("link", name="See the seats").tap()
    page.get_by_role("table").get_by_role("link", name="Section A").tap()

    expect(page.get_by_role("heading", level=1)).to_have_text("Section A")
    expect(page.locator("use.seat--sold title")).to_have_text(
        "Row 1, seat 2 — R seat, ₩132,000, sold"
    )


def test_without_javascript_a_section_in_the_drawing_is_a_link(browser, site, on_sale):
    context = browser.new_context(java_script_enabled=False, locale="en-GB", base_url=site)
    page = context.new_page()
    page.goto(f"/events/{on_sale.pk}/seats/")
    page.get_by_role("link", name="F, 30 of 30 left: Floor").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Floor")
    context.close()


def test_the_chosen_language_is_kept(page, on_sale):
    page.goto("/")
    page.locator("header").get_by_role("button", name="한국어").tap()
    page.get_by_role("link", name=on_sale.title_ko).tap()
    page.wait_for_url("**/events/*/")
    page.reload()

    expect(page.locator("html")).to_have_attribute("lang", "ko")
    expect(page.get_by_role("heading", level=1)).to_have_text(on_sale.title_ko)


def test_a_search_that_finds_nothing_says_so_and_leads_back(page, on_sale):
    page.goto("/")
    page.get_by_role("searchbox").fill("no such thing")
    page.get_by_role("button", name="Search").tap()

    expect(page.get_by_text("No events found.")).to_be_visible()
    page.get_by_role("link", name="Show all events").tap()
    expect(page.get_by_role("link", name=on_sale.title_en)).to_be_visible()


def test_the_countdown_runs(page, announced):
    page.goto(announced.get_absolute_url())
    seconds = page.locator('[data-part="seconds"]')
    before = seconds.text_content()

    expect(page.locator('[data-part="minutes"]')).to_have_text("04")
    expect(seconds).not_to_have_text(before)


def test_the_countdown_goes_by_the_servers_clock(context, page, announced):
    page.clock.install(time=announced.on_sale_at + timedelta(days=2))
    page.goto(announced.get_absolute_url())

    expect(page.locator('[data-part="minutes"]')).to_have_text("04")


def test_at_the_opening_the_page_turns_by_itself(page, site, now):
    event = make_event(now, state=Event.State.ANNOUNCED, on_sale_at=now + timedelta(seconds=2))
    page.goto(event.get_absolute_url())
    expect(page.locator("[data-opening]")).to_be_visible()
    services.open_due_sales(now=clock.now())

    expect(page.get_by_role("link", name="See the seats")).to_be_visible(timeout=20_000)


@pytest.mark.parametrize("script", [True, False])
def test_an_opening_that_is_late_is_waited_for(browser, site, now, script):
    event = make_event(now, state=Event.State.ANNOUNCED, on_sale_at=now - timedelta(seconds=1))
    context = browser.new_context(java_script_enabled=script, locale="en-GB", base_url=site)
    page = context.new_page()
    page.goto(event.get_absolute_url())
    expect(page.get_by_role("link", name="See the seats")).to_have_count(0)
    services.open_due_sales(now=clock.now())

    expect(page.get_by_role("link", name="See the seats")).to_be_visible(timeout=20_000)
    context.close()


def test_everything_can_be_seen_without_javascript(browser, site, on_sale):
    context = browser.new_context(java_script_enabled=False, locale="en-GB", base_url=site)
    page = context.new_page()
    page.goto("/")
    page.locator("footer").get_by_role("button", name="한국어").click()
    page.get_by_role("link", name=on_sale.title_ko).click()
    page.goto(f"/events/{on_sale.pk}/seats/A/")

    expect(page.locator("use.seat")).to_have_count(160)
    expect(page.locator("html")).to_have_attribute("lang", "ko")
    context.close()


def test_without_javascript_the_calendar_time_stands_for_the_countdown(browser, site, announced):
    context = browser.new_context(java_script_enabled=False, locale="en-GB", base_url=site)
    page = context.new_page()
    page.goto(announced.get_absolute_url())

    expect(page.get_by_text("Tickets go on sale on")).to_be_visible()
    expect(page.get_by_role("timer")).to_be_hidden()
    context.close()

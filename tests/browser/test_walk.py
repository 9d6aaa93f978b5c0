from datetime import timedelta
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from tests.browser.conftest import poll_page, skip_time_until
from tests.making import make_event
from ticketing.core import clock
from ticketing.events import services
from ticketing.events.models import Event
from ticketing.events.views import pages


def test_a_fan_walks_from_home_to_a_section(page, on_sale):
    page.goto("/")
    page.get_by_role("link", name=on_sale.title_en).tap()
    page.get_by_role("link", name="See the seats").tap()
    page.get_by_role("table").get_by_role("link", name="Section A").tap()

    expect(page.get_by_role("heading", level=1)).to_have_text("Section A")
    expect(page.locator("use.seat--sold title")).to_have_text(
        "Row 1, seat 2 — R seat, ₩132,000, sold"
    )


def test_without_javascript_a_section_in_the_drawing_is_a_link(open_page, on_sale):
    page = open_page(f"/events/{on_sale.pk}/seats/", java_script_enabled=False, has_touch=False)
    page.get_by_role("link", name="F, 30 of 30 left: Floor").click()

    expect(page.get_by_role("heading", level=1)).to_have_text("Floor")


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


def test_the_countdown_goes_by_the_servers_clock(page, announced):
    page.clock.install(time=announced.on_sale_at + timedelta(days=2))
    page.goto(announced.get_absolute_url())

    expect(page.locator('[data-part="minutes"]')).to_have_text("04")


def test_at_the_opening_the_page_turns_by_itself(open_page, announced):
    path, now, asked = announced.get_absolute_url(), announced.on_sale_at, []

    def prepare(page):
        page.clock.install()
        page.on("response", lambda response: asked.append(urlsplit(response.url).path))

    page = open_page(path, prepare=prepare)
    poll_page(page, lambda: "/healthz" in asked)
    page.evaluate("() => fetch('/healthz').then((answer) => answer.json())")  # the first is read
    page.clock.fast_forward(5 * 60_000)
    expect(page.locator("[data-opening]")).to_be_visible()

    services.open_due_sales(now=now)

    skip_time_until(page, page.get_by_role("link", name="See the seats").is_visible)


@pytest.fixture
def late(site, now) -> Event:
    return make_event(now, state=Event.State.ANNOUNCED, on_sale_at=now - timedelta(seconds=1))


def test_an_opening_that_is_late_is_waited_for(open_page, late):
    page = open_page(late.get_absolute_url(), prepare=lambda page: page.clock.install())
    expect(page.get_by_role("link", name="See the seats")).to_have_count(0)

    services.open_due_sales(now=clock.now())

    skip_time_until(page, page.get_by_role("link", name="See the seats").is_visible)


def test_without_javascript_an_opening_that_is_late_is_waited_for(open_page, late, monkeypatch):
    seconds = pages.seconds_until_refresh
    monkeypatch.setattr(pages, "seconds_until_refresh", lambda *when: seconds(*when) and 1)
    page = open_page(late.get_absolute_url(), java_script_enabled=False)
    expect(page.get_by_role("link", name="See the seats")).to_have_count(0)

    services.open_due_sales(now=clock.now())

    expect(page.get_by_role("link", name="See the seats")).to_be_visible()


def test_everything_can_be_seen_without_javascript(open_page, on_sale):
    page = open_page("/", java_script_enabled=False, has_touch=False)
    page.locator("footer").get_by_role("button", name="한국어").click()
    page.get_by_role("link", name=on_sale.title_ko).click()
    page.goto(f"/events/{on_sale.pk}/seats/A/")

    expect(page.locator("use.seat")).to_have_count(160)
    expect(page.locator("html")).to_have_attribute("lang", "ko")


def test_without_javascript_the_calendar_time_stands_for_the_countdown(open_page, announced):
    page = open_page(announced.get_absolute_url(), java_script_enabled=False, has_touch=False)

    expect(page.get_by_text("Tickets go on sale on")).to_be_visible()
    expect(page.get_by_role("timer")).to_be_hidden()

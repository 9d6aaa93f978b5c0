"""Every page: nothing in the console, no sideways scrolling, nothing that axe objects to."""

import re

import pytest
from playwright.sync_api import Route, expect

from tests.browser.conftest import PHONE
from tests.browser.quality import SMALL_CONTROLS, WIDTH, layout_shift, violations

LIGHTHOUSE = {"width": 412, "height": 823}
BYTES = """() => ["resource", "navigation"].flatMap((kind) => performance.getEntriesByType(kind))
    .reduce((sum, entry) => sum + entry.transferSize, 0)"""


@pytest.fixture
def paths(on_sale, announced):
    return [
        "/",
        "/?q=nothing-like-this",
        f"/events/{on_sale.pk}/",
        f"/events/{announced.pk}/",
        f"/events/{on_sale.pk}/seats/",
        f"/events/{on_sale.pk}/seats/A/",
        f"/events/{on_sale.pk}/seats/F/",
        "/accounts/log-in/",
        "/accounts/sign-up/",
        "/accounts/password/reset/",
    ]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_every_page_passes_axe_fits_a_small_phone_and_has_big_controls(open_page, paths, language):
    page = open_page(locale=language)

    for path in paths:
        page.goto(path)
        expect(page.locator("html")).to_have_attribute("lang", language)
        assert violations(page, colours=language == "en") == [], path
        assert page.evaluate(SMALL_CONTROLS) == [], path
        page.set_viewport_size({"width": 360, "height": 640})
        assert page.evaluate(WIDTH) == 360, path
        page.set_viewport_size(PHONE)


def test_the_error_page_is_as_good_as_the_others(browser, site):
    context = browser.new_context(base_url=site)
    page = context.new_page()
    page.goto("/no-such-page")

    assert violations(page) == []
    context.close()


def test_axe_would_find_something(page, on_sale):
    page.goto("/")
    for name in ("aria-label", "placeholder"):
        page.evaluate(f"document.querySelector('[role=search] input').removeAttribute('{name}')")

    page.evaluate("document.querySelector('h1').style.color = '#777'")
    page.evaluate("document.querySelector('h1').style.background = '#888'")

    assert [found[:2] for found in violations(page)] == [
        ("light", "color-contrast"),
        ("light", "label"),
        ("dark", "color-contrast"),
    ]
    assert [found[:2] for found in violations(page, colours=False)] == [("light", "label")]


def test_home_weighs_little(page, on_sale):
    page.goto("/", wait_until="networkidle")

    assert 0 < page.evaluate(BYTES) < 400_000


@pytest.mark.parametrize("language", ["en", "ko"])
def test_pages_stay_where_they_are_when_the_fonts_come_late(open_page, on_sale, language):
    for path in ("/", on_sale.get_absolute_url(), f"/events/{on_sale.pk}/seats/"):
        page = open_page(viewport=LIGHTHOUSE, locale=language)

        assert layout_shift(page, path) < 0.1, path
        expect(page.locator("html")).to_have_attribute("lang", language)


FIRST_PAINT_AND_FONT = """() => {
  const [paint] = performance.getEntriesByName("first-contentful-paint");
  const resources = performance.getEntriesByType("resource");
  const fonts = resources.filter(({ name }) => name.endsWith(".woff2"));
  return paint && fonts.length ? [paint.startTime, fonts[0].startTime] : null;
}"""

LOADED_FONT = """() => [...document.fonts]
  .some(({ family, status }) => family.includes("Pretendard Variable") && status === "loaded")"""


def test_a_page_is_painted_before_it_asks_for_the_web_font(page, on_sale):
    page.goto("/")

    painted, asked = page.wait_for_function(FIRST_PAINT_AND_FONT).json_value()
    assert painted < asked


@pytest.mark.parametrize("script", ["", "delete PerformanceObserver.supportedEntryTypes;"])
def test_the_web_font_comes(open_page, on_sale, script):
    page = open_page(prepare=lambda page: page.add_init_script(script))
    page.goto("/")

    page.wait_for_function(LOADED_FONT)
    assert page.locator("link[data-fonts]").get_attribute("media") == "all"


def test_without_javascript_the_web_font_comes_all_the_same(open_page, on_sale):
    page = open_page(java_script_enabled=False)

    with page.expect_response("**/*.woff2"):
        page.goto("/")


def test_a_page_moves_if_the_fonts_before_are_much_wider(open_page, on_sale):
    def with_wide_letters(route: Route) -> None:
        css = re.sub(r"size-adjust: \d+%", "size-adjust: 180%", route.fetch().text())
        route.fulfill(body=css, content_type="text/css")

    page = open_page(viewport=LIGHTHOUSE)
    page.route("**/tokens.*.css", with_wide_letters)

    assert layout_shift(page, "/") > 0.1

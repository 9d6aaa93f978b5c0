"""Every page: nothing in the console, no sideways scrolling, nothing that axe objects to."""

import pytest

from tests.browser.conftest import AXE

SMALL_CONTROLS = """() => [...document.querySelectorAll("main a, header a, button, main input")]
    .filter((e) => e.checkVisibility() && e.type !== "hidden" && e.type !== "checkbox")
    .filter((e) => !e.closest("svg, .ticket, p, .skip-link"))
    .filter((e) => e.getBoundingClientRect().height < 44)
    .map((e) => e.outerHTML)"""
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


def violations(page):
    page.evaluate(AXE.read_text())
    rules = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
    found = page.evaluate("rules => axe.run(document, rules)", rules)
    assert found["passes"]
    return [(one["id"], [node["html"] for node in one["nodes"]]) for one in found["violations"]]


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("language", ["en", "ko"])
def test_axe_finds_nothing(page, paths, scheme, language):
    page.emulate_media(color_scheme=scheme)
    page.set_extra_http_headers({"Accept-Language": language})

    for path in paths:
        page.goto(path)
        assert violations(page) == [], path


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_error_page_is_as_good_as_the_others(browser, site, scheme):
    context = browser.new_context(color_scheme=scheme, base_url=site)
    page = context.new_page()
    page.goto("/no-such-page")

    assert violations(page) == []
    context.close()


def test_axe_would_find_something(page, on_sale):
    page.goto("/")
    for name in ("aria-label", "placeholder"):
        page.evaluate(f"document.querySelector('[role=search] input').removeAttribute('{name}')")

    assert [rule for rule, _ in violations(page)] == ["label"]


@pytest.mark.parametrize("language", ["en", "ko"])
def test_no_page_scrolls_sideways_on_a_small_phone(page, paths, language):
    page.set_viewport_size({"width": 360, "height": 640})
    page.set_extra_http_headers({"Accept-Language": language})

    for path in paths:
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") == 360, path


def test_fingers_find_every_control(page, paths):
    for path in paths:
        page.goto(path)
        assert page.evaluate(SMALL_CONTROLS) == [], path


def test_home_weighs_little(page, on_sale):
    page.goto("/", wait_until="networkidle")

    assert 0 < page.evaluate(BYTES) < 400_000

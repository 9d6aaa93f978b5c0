"""What every page must pass: axe in light and dark, controls for fingers, no sideways scrolling."""

from typing import Any

from playwright.sync_api import Error, Page

from tests.browser.conftest import AXE

# Everything in light; in dark only what colours can change.
SCHEMES = {
    "light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
    "dark": ["color-contrast", "link-in-text-block"],
}
# Only what is said about violations crosses from the browser: the rest is as big as the page.
RUN_AXE = """async (runOnly) => {
    const options = { runOnly, resultTypes: ["violations"] };
    const { passes, violations } = await axe.run(document, options);
    const found = violations.map(({ id, nodes }) => [id, nodes.map(({ html }) => html)]);
    return { passed: passes.length, found };
}"""
SMALL_CONTROLS = """() => [...document.querySelectorAll("main a, header a, button, main input")]
    .filter((e) => e.checkVisibility() && e.type !== "hidden" && e.type !== "checkbox")
    .filter((e) => !e.closest("svg, .ticket, p, .skip-link"))
    .filter((e) => e.getBoundingClientRect().height < 44)
    .map((e) => e.outerHTML)"""
# A change of scheme fades colours; axe must see the last ones. What never ends can't be finished.
FINISH_TRANSITIONS = """() => document.getAnimations()
    .filter((it) => it.effect.getComputedTiming().endTime !== Infinity)
    .forEach((it) => it.finish())"""
TRIES = 10
WIDTH = "document.documentElement.scrollWidth"


def violations(page: Page) -> list[tuple[str, str, list[str]]]:
    """Return what axe finds in the light and in the dark scheme: scheme, rule, elements."""
    found = []
    for scheme, rules in SCHEMES.items():
        page.emulate_media(color_scheme=scheme)
        result = _run_axe(page, rules)
        assert result["passed"]
        found += [(scheme, rule, elements) for rule, elements in result["found"]]
    return found


def _run_axe(page: Page, rules: list[str]) -> dict[str, Any]:
    """Again if the page loaded itself anew meanwhile, as some do every second in tests."""
    for _ in range(TRIES):
        page.wait_for_load_state()  # a link that was clicked may have brought an empty page so far
        try:
            page.evaluate(FINISH_TRANSITIONS)
            if not page.evaluate("'axe' in window"):
                page.evaluate(AXE.read_text())
            result: dict[str, Any] = page.evaluate(RUN_AXE, rules)
            return result
        except Error as gone:
            if "navigation" not in gone.message and "axe is not defined" not in gone.message:
                raise
    raise AssertionError("the page loads itself again and again")

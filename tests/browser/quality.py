"""What every page must pass: axe in light and dark, controls for fingers, no sideways scrolling."""

from typing import Any

from playwright.sync_api import Error, Page, Route

from tests.browser.conftest import AXE

# Everything in light; in dark only what colours can change.
SCHEMES = {
    "light": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"],
    "dark": ["color-contrast", "link-in-text-block"],
}
# What colours can change is the same in every language.
NO_COLOURS = {name: {"enabled": False} for name in SCHEMES["dark"]}
# Only what is said about violations crosses from the browser: the rest is as big as the page.
RUN_AXE = """async ([runOnly, rules]) => {
    const options = { runOnly, rules, resultTypes: ["violations"] };
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
RECORD_SHIFTS = """
    window.shift = 0;
    new PerformanceObserver((list) => {
        for (const entry of list.getEntries()) window.shift += entry.value;
    }).observe({ type: "layout-shift", buffered: true });
"""
# A shift is reported after the frame in which something moved.
PAINTED = """() => new Promise((done) => {
    requestAnimationFrame(() => requestAnimationFrame(() => requestAnimationFrame(done)));
})"""
WIDTH = "document.documentElement.scrollWidth"


def violations(page: Page, *, colours: bool = True) -> list[tuple[str, str, list[str]]]:
    """Return what axe finds in the light and in the dark scheme: scheme, rule, elements.

    Without colours for a page whose colours were looked at in another language.
    """
    found = []
    for scheme, tags in SCHEMES.items() if colours else [("light", SCHEMES["light"])]:
        page.emulate_media(color_scheme=scheme)
        result = _run_axe(page, tags, {} if colours else NO_COLOURS)
        assert result["passed"]
        found += [(scheme, rule, elements) for rule, elements in result["found"]]
    return found


def _run_axe(page: Page, tags: list[str], rules: dict[str, Any]) -> dict[str, Any]:
    """Again if the page loaded itself anew meanwhile, as some do every second in tests."""
    for _ in range(TRIES):
        page.wait_for_load_state()  # a link that was clicked may have brought an empty page so far
        try:
            page.evaluate(FINISH_TRANSITIONS)
            if not page.evaluate("'axe' in window"):
                page.evaluate(AXE.read_text())
            result: dict[str, Any] = page.evaluate(RUN_AXE, [tags, rules])
            return result
        except Error as gone:
            if "navigation" not in gone.message and "axe is not defined" not in gone.message:
                raise
    raise AssertionError("the page loads itself again and again")


def layout_shift(page: Page, path: str) -> float:
    """Return how far a page moves, as Lighthouse counts it, when its fonts come late."""
    held: list[Route] | None = []

    def font_asked_for(route: Route) -> None:
        if held is None:
            route.continue_()
        else:
            held.append(route)

    page.route("**/*.woff2", font_asked_for)
    page.add_init_script(RECORD_SHIFTS)
    with page.expect_request("**/*.woff2"):  # once the page is painted
        page.goto(path, wait_until="domcontentloaded")  # loaded is only what has its fonts
    page.wait_for_function("() => performance.getEntriesByName('first-contentful-paint').length")
    page.evaluate(PAINTED)  # by then all of them are asked for
    assert held
    fonts, held = held, None
    for font in fonts:
        font.continue_()
    page.evaluate("() => document.fonts.ready.then(() => true)")
    page.evaluate(PAINTED)
    return float(page.evaluate("shift"))

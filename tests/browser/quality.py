"""What every page must pass: axe in light and dark, controls for fingers, no sideways scrolling."""

from typing import Any

from playwright.sync_api import Page

from tests.browser.conftest import AXE

SCHEMES = ("light", "dark")
RULES = {"runOnly": ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa"]}
SMALL_CONTROLS = """() => [...document.querySelectorAll("main a, header a, button, main input")]
    .filter((e) => e.checkVisibility() && e.type !== "hidden" && e.type !== "checkbox")
    .filter((e) => !e.closest("svg, .ticket, p, .skip-link"))
    .filter((e) => e.getBoundingClientRect().height < 44)
    .map((e) => e.outerHTML)"""
# A change of scheme fades colours; axe must see the last ones. What never ends can't be finished.
FINISH_TRANSITIONS = """() => document.getAnimations()
    .filter((it) => it.effect.getComputedTiming().endTime !== Infinity)
    .forEach((it) => it.finish())"""
WIDTH = "document.documentElement.scrollWidth"


def violations(page: Page) -> list[tuple[str, str, list[str]]]:
    """What axe objects to, in the light and in the dark scheme: scheme, rule, elements."""
    page.evaluate(AXE.read_text())
    found = []
    for scheme in SCHEMES:
        page.emulate_media(color_scheme=scheme)
        page.evaluate(FINISH_TRANSITIONS)
        result: dict[str, Any] = page.evaluate("rules => axe.run(document, rules)", RULES)
        assert result["passes"]
        for one in result["violations"]:
            found.append((scheme, one["id"], [node["html"] for node in one["nodes"]]))
    return found

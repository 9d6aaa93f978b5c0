"""The colours of the site that others must be readable against, and how contrast is measured."""

import re
from collections.abc import Mapping

HEX = re.compile(r"^#[0-9a-fA-F]{6}\Z")
# WCAG 2.2 AA: of text, and of what only has to be seen.
TEXT_CONTRAST, SHAPE_CONTRAST = 4.5, 3.0
# As in static/css/tokens.css; a test compares them.
THEMES: Mapping[str, Mapping[str, str]] = {
    "light": {
        "ground": "#f3f5f1",
        "surface": "#ffffff",
        "sunken": "#e7ebe5",
        "ink": "#10201b",
        "ink-soft": "#4b5b54",
        "brand": "#0a5a49",
        "on-brand": "#ffffff",
        "live": "#b8390e",
        "focus": "#1257d6",
    },
    "dark": {
        "ground": "#0b1210",
        "surface": "#131d1a",
        "sunken": "#1b2723",
        "ink": "#e9f1ec",
        "ink-soft": "#a5b5ae",
        "brand": "#74dbb8",
        "on-brand": "#05231b",
        "live": "#ff9b78",
        "focus": "#8db8ff",
    },
}


def contrast(one: str, other: str) -> float:
    """Return WCAG's contrast of two colours such as #3355dd: from 1 to 21."""
    dark, light = sorted((_luminance(one), _luminance(other)))
    return (light + 0.05) / (dark + 0.05)


def _luminance(colour: str) -> float:
    red, green, blue = (_linear(int(colour[at : at + 2], 16) / 255) for at in (1, 3, 5))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4

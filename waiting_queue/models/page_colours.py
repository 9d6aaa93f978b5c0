"""The colours of an event's own waiting page: whether they can be read, and their stylesheet."""

from collections.abc import Mapping
from typing import Any

from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.core.colours import HEX, SHAPE_CONTRAST, TEXT_CONTRAST, THEMES, contrast

COLOURS = ("accent_light", "accent_dark", "background_light", "background_dark")
# What a colour is seen against, as operators read it.
NAMES: Mapping[str, Any] = {
    "surface": gettext_lazy("panels"),
    "sunken": gettext_lazy("shaded areas"),
    "on-brand": gettext_lazy("the label of buttons"),
    "ground": gettext_lazy("the background"),
    "ink": gettext_lazy("text"),
    "ink-soft": gettext_lazy("quiet text"),
    "live": gettext_lazy("the call to come in"),
    "brand": gettext_lazy("links"),
    "focus": gettext_lazy("the frame of what is selected"),
}
ACCENT_ON = ("surface", "sunken", "on-brand", "ground")
UNDER_TEXT = ("ink", "ink-soft", "live", "brand")


def colour_problems(colours: Mapping[str, str]) -> dict[str, list[str]]:
    """Return why colours are refused, by field; those of the wrong form are refused elsewhere."""
    problems: dict[str, list[str]] = {}
    for theme, site in THEMES.items():
        accent, ground = (_valid(colours[f"{name}_{theme}"]) for name in ("accent", "background"))
        shown = {**site, "ground": ground or site["ground"]}
        if accent:
            problems[f"accent_{theme}"] = _too_close(accent, shown, ACCENT_ON)
        if ground:
            # A colour that fails against both accent and background is reported once.
            under = UNDER_TEXT[:-1] if accent else UNDER_TEXT
            problems[f"background_{theme}"] = [
                *_too_close(ground, site, under),
                *_too_close(ground, site, ("focus",), least=SHAPE_CONTRAST),
            ]
    return {field: reasons for field, reasons in problems.items() if reasons}


def colour_css(colours: Mapping[str, Any], *, theme: str = "") -> str:
    """Return the stylesheet, or only the rules of one theme, which then hold always."""
    rules = ""
    for name in (theme,) if theme else THEMES:
        accent = _valid(colours.get(f"accent_{name}", ""))
        ground = _valid(colours.get(f"background_{name}", ""))
        settings = f"--brand:{accent};--brand-strong:{accent};--brand-wash:var(--sunken);"
        settings = (settings if accent else "") + (f"--ground:{ground};" if ground else "")
        media = "all" if theme else f"(prefers-color-scheme: {name})"
        rules += f"@media {media}{{:root{{{settings}}}}}\n" if settings else ""
    return rules


def _valid(colour: str) -> str:
    return colour if HEX.match(colour) else ""


def _too_close(
    colour: str, site: Mapping[str, str], names: tuple[str, ...], *, least: float = TEXT_CONTRAST
) -> list[str]:
    message = _(
        "Too close to %(other)s (%(colour)s): the contrast is %(ratio)s : 1, "
        "and %(least)s : 1 is needed to be readable."
    )
    return [
        message
        % {
            "other": NAMES[name],
            "colour": site[name],
            # Rounded down, so that it never reads like enough.
            "ratio": int(10 * ratio) / 10,
            "least": least,
        }
        for name in names
        if (ratio := contrast(colour, site[name])) < least
    ]

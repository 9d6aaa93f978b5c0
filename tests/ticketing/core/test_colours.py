"""How contrast is measured, and that the colours it is measured against are those of the site."""

import re

import pytest
from django.conf import settings

from ticketing.core.colours import THEMES, contrast


@pytest.mark.parametrize(
    ("one", "other", "ratio"),
    [
        ("#000000", "#ffffff", 21.0),
        ("#ffffff", "#000000", 21.0),
        ("#777777", "#777777", 1.0),
        ("#767676", "#ffffff", 4.54),  # the lightest grey that WCAG AA allows on white
        ("#777777", "#ffffff", 4.48),
        ("#ff0000", "#ffffff", 4.0),
    ],
)
def test_contrast_is_wcags(one, other, ratio):
    assert round(contrast(one, other), 2) == ratio


def test_the_themes_are_those_of_the_stylesheet():
    css = (settings.BASE_DIR / "static" / "css" / "tokens.css").read_text()
    light, dark = css.split("@media (prefers-color-scheme: dark)")

    for theme, text in (("light", light), ("dark", dark)):
        written = dict(re.findall(r"--([\w-]+): (#\w{6});", text))
        assert THEMES[theme].items() <= written.items()

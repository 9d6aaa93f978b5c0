"""Colours and widths of text in a terminal."""

import os
import unicodedata
from collections.abc import Callable
from typing import TextIO

STYLES = {"bold": "1", "dim": "2", "red": "31", "green": "32", "yellow": "33", "cyan": "36"}
Paint = Callable[[str, str], str]


def plain(text: str, style: str) -> str:
    return text


def coloured(text: str, style: str) -> str:
    return f"\x1b[{STYLES[style]}m{text}\x1b[0m"


def paint_for(out: TextIO) -> Paint:
    """Colours for a terminal, unless NO_COLOR is set (https://no-color.org)."""
    return coloured if out.isatty() and not os.environ.get("NO_COLOR") else plain


def fit(text: str, width: int) -> str:
    """Cut a text to so many columns; some characters take two."""
    used = 0
    for at, letter in enumerate(text):
        used += 2 if unicodedata.east_asian_width(letter) in "WF" else 1
        if used > width:
            return text[: max(0, at - 1)] + "…"
    return text


def duration(seconds: float) -> str:
    minutes, rest = divmod(max(0, int(seconds)), 60)
    return f"{minutes:02}:{rest:02}"

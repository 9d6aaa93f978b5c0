"""CSV that spreadsheets open as it is meant."""

from typing import Any

BOM = "\ufeff"  # says to spreadsheets that the file is UTF-8
# A spreadsheet would run a cell that begins like this as a formula.
FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r")


def without_formula(value: Any) -> Any:
    """The value, quoted if a spreadsheet would run it."""
    risky = isinstance(value, str) and value.startswith(FORMULA_STARTS)
    return f"'{value}" if risky else value

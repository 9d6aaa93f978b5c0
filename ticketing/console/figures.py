"""A sale in numbers: what is in a sample, and the rows that charts are drawn from."""

from collections.abc import Mapping
from typing import Any

# One number each, in this order: a history is a list of these.
ROW = (
    *("second", "lobby", "waiting", "ready", "inside", "admissions", "joins"),
    *("free", "held", "paying", "sold", "money", "failing"),
)
# Counted in the database, and so only every few seconds.
COUNTED = ("seats", "free", "held", "paying", "sold", "held_back", "money", "failing", "open")


def row(figures: Mapping[str, Any]) -> list[Any]:
    return [figures.get(name, 0) for name in ROW]


def per_second(now: Mapping[str, Any], before: Mapping[str, Any] | None, name: str) -> float:
    """How fast a count grew; a count that starts anew after an outage tells nothing."""
    if before is None or now["second"] <= before["second"]:
        return 0.0
    grown = max(now[name] - before[name], 0)
    return round(grown / (now["second"] - before["second"]), 2)

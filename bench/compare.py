"""`python -m bench compare OLD.json NEW.json`: what got worse by more than a tenth.

Ratios and processor time of one run can be compared between machines that differ in load; speeds
and waiting times can't, and are marked with a star.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

TOLERANCE = 0.1
SAME = ("PostgreSQL", "Valkey", "web processes", "cores")
# By the end of a column's or figure's name; anything else is information and not compared.
HIGHER_IS_BETTER = ("/s", "of floor", "of healthz", "of pgbench", "of bare view")
LOWER_IS_BETTER = ("CPU ms", "CPU µs", "statements", "bytes", "KB", "ms", "with : without")
# Depend on what else the machine does.
WALL_CLOCK = ("/s", "p50 ms", "p95 ms", "p99 ms", "median ms", "last ms")


@dataclass(frozen=True)
class Change:
    where: str
    old: float
    new: float

    @property
    def name(self) -> str:
        return self.where.rpartition(" | ")[2]

    @property
    def is_worse(self) -> bool:
        """By more than a tenth; where nothing was spent before, by anything that can be seen."""
        if self.name.endswith(HIGHER_IS_BETTER):
            return self.new < self.old * (1 - TOLERANCE)
        is_cost = self.name.endswith(LOWER_IS_BETTER)
        return is_cost and self.new > max(self.old * (1 + TOLERANCE), self.old + 0.005)

    def __str__(self) -> str:
        ratio = f"{self.new / self.old:.2f} ×" if self.old else "new"
        star = " *" if self.name.endswith(WALL_CLOCK) else ""
        return f"{self.where}{star}: {self.old:,.2f} → {self.new:,.2f} ({ratio})"


def run(old_file: str, new_file: str) -> int:
    """Print what got worse; the exit code says whether anything did."""
    old, new = (json.loads(Path(name).read_text()) for name in (old_file, new_file))
    for warning in unlike(old, new):
        print(f"! {warning}")
    worse = [change for change in changes(old, new) if change.is_worse]
    print("\n".join(map(str, worse)) or "Nothing got worse by more than a tenth.")
    if any(change.name.endswith(WALL_CLOCK) for change in worse):
        print("* depends on the load of the machine")
    return 1 if worse else 0


def unlike(old: dict[str, Any], new: dict[str, Any]) -> Iterator[str]:
    """What makes two runs hard to compare."""
    for name in old.keys() & new.keys():
        for key in SAME:
            before, after = (run[name]["header"].get(key) for run in (old, new))
            if before != after:
                yield f"{name}: {key} was “{before}”, now “{after}”"


def changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    """Every figure that both runs have."""
    before, after = dict(_flat(old)), dict(_flat(new))
    for where in before:
        if where in after:
            yield Change(where, before[where], after[where])


def _flat(benches: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for bench, result in benches.items():
        for title, rows in result["tables"].items():
            for row, columns in rows.items():
                for column, value in columns.items():
                    if isinstance(value, int | float):
                        yield " | ".join(filter(None, (bench, title, row, column))), value

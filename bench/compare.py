"""`python -m bench compare OLD.json NEW.json`: what got worse by more than a tenth.

Ratios can be compared between runs, and processor times after they were scaled by what the same
piece of work took in each run. Speeds and waiting times depend on the machine's load, and are
marked with a star.
"""

import json
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from bench.report import REFERENCE

TOLERANCE = 0.1
SAME = ("PostgreSQL", "Valkey", "web processes", "cores")
# By the end of a column's or figure's name; anything else is information and not compared.
HIGHER_IS_BETTER = ("/s", "of floor", "of healthz", "of pgbench", "of bare view")
PROCESSOR_TIME = ("CPU ms", "CPU µs")
LOWER_IS_BETTER = (*PROCESSOR_TIME, "statements", "bytes", "KB", "ms", "with : without")
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
        factor = slowdown(old[name]["header"], new[name]["header"])
        if abs(factor - 1) > TOLERANCE:
            yield f"{name}: the same work took {factor:.2f} × the processor time; old is scaled"


def changes(old: dict[str, Any], new: dict[str, Any]) -> Iterator[Change]:
    """Every figure that both runs have."""
    for bench in old.keys() & new.keys():
        factor = slowdown(old[bench]["header"], new[bench]["header"])
        before, after = dict(_flat(bench, old[bench])), dict(_flat(bench, new[bench]))
        for where, value in before.items():
            if where in after:
                scale = factor if where.endswith(PROCESSOR_TIME) else 1
                yield Change(where, value * scale, after[where])


def slowdown(old: dict[str, Any], new: dict[str, Any]) -> float:
    """How much more processor time the new run needed for the same work."""
    is_known = REFERENCE in old and REFERENCE in new
    return float(new[REFERENCE] / old[REFERENCE]) if is_known else 1.0


def _flat(bench: str, result: dict[str, Any]) -> Iterator[tuple[str, float]]:
    for title, rows in result["tables"].items():
        for row, columns in rows.items():
            for column, value in columns.items():
                if isinstance(value, int | float):
                    yield " | ".join(filter(None, (bench, title, row, column))), value

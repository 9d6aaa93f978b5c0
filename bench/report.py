"""Prints what a benchmark measured, and keeps it for the JSON file."""

import os
import statistics
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from bench.machine import reference_ms

# Says how fast the processor was, by which `compare` scales processor times.
REFERENCE = "CPU ms of the reference work"
Value = float | int | str
Row = dict[str, Value]


@dataclass
class Report:
    """The tables of one benchmark: title → row → column → value."""

    name: str
    header: dict[str, Any] = field(default_factory=dict)
    tables: dict[str, dict[str, Row]] = field(default_factory=dict)
    references: list[float] = field(default_factory=list)

    def begin(self, header: dict[str, Any]) -> None:
        self.header = header
        print(f"\n{self.name}\n{'-' * len(self.name)}")
        print("; ".join(f"{name} {value}" for name, value in header.items()), flush=True)

    def table(self, title: str, rows: Mapping[str, Mapping[str, Value]]) -> None:
        """Print a table; its columns are those of its rows, in order."""
        columns = list(dict.fromkeys(column for row in rows.values() for column in row))
        cells = {
            name: [cell(row.get(column, "")) for column in columns] for name, row in rows.items()
        }
        widths = [
            max(len(text) for text in (column, *(row[at] for row in cells.values()))) + 2
            for at, column in enumerate(columns)
        ]
        width = max(map(len, (title, *rows)))
        print(f"\n{title:<{width}}{_line(columns, widths)}")
        for name, row in cells.items():
            print(f"{name:<{width}}{_line(row, widths)}", flush=True)
        self.tables[title] = {name: dict(row) for name, row in rows.items()}
        load = round(os.getloadavg()[0], 1)
        self.header["load during"] = max(load, self.header.get("load during", 0))
        self.references.append(reference_ms())

    def end(self) -> dict[str, Any]:
        self.header[REFERENCE] = round(statistics.median(self.references), 2)
        print(f"load during {self.header['load during']}; {REFERENCE} {self.header[REFERENCE]}")
        return {"header": self.header, "tables": self.tables}


def _line(cells: list[str], widths: list[int]) -> str:
    return "".join(f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True))


def cell(value: Value) -> str:
    """With as many decimals as its size deserves."""
    if not isinstance(value, float):
        return f"{value:,}" if isinstance(value, int) else value
    for least, decimals in ((100, 0), (10, 1), (0.1, 2)):
        if abs(value) >= least:
            return f"{value:,.{decimals}f}"
    return f"{value:.4f}" if value else "0"

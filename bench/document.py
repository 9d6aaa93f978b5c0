"""Writes the tables of a run into docs/performance.md, between the marks of each benchmark."""

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from bench.report import cell

DOCUMENT = Path("docs/performance.md")
END = "<!-- end -->"
DETAILS = ("of these",)  # too long for the document


def fill_in(results: dict[str, Any], document: Path = DOCUMENT) -> list[str]:
    """Replace what stands between the marks; returns the benchmarks that have none."""
    text, unmarked = document.read_text(), []
    for name, result in results.items():
        before, mark, rest = text.partition(f"<!-- {name} -->\n")
        if mark:
            text = before + mark + "\n".join(markdown(result)) + END + rest.partition(END)[2]
        else:
            unmarked.append(name)
    document.write_text(text)
    return unmarked


def markdown(result: dict[str, Any]) -> Iterator[str]:
    yield "; ".join(f"{name} {value}" for name, value in result["header"].items()) + "."
    for title, rows in result["tables"].items():
        if title in DETAILS:
            continue
        columns = list(dict.fromkeys(column for row in rows.values() for column in row))
        yield ""
        yield f"| {title} | {' | '.join(columns)} |"
        yield "|---|" + "--:|" * len(columns)
        for name, row in rows.items():
            yield f"| {name} | {' | '.join(cell(row.get(column, '')) for column in columns)} |"
    yield ""

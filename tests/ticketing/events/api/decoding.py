"""Reads a seat list back, as a client would from docs/api.md alone."""

import gzip
import json
from collections.abc import Iterator
from typing import Any

from ticketing.events.models import Event, Seat

STATES = {"a": "available", "h": "held", "s": "sold", "b": "blocked"}


def numbers(steps: list[Any]) -> list[int]:
    values = [steps[0]]
    for entry in steps[1:]:
        step, times = entry if isinstance(entry, list) else (entry, 1)
        for _ in range(times):
            values.append(values[-1] + step)
    return values


def seats(body: dict[str, Any]) -> dict[int, tuple[Any, ...]]:
    """Seat id → section, row, number, x, y, grade, accessible, companion, state."""
    found = list(_seats(body))
    assert len(found) == len(body["states"])
    return {
        seat[0]: (*seat[1:], STATES[letter])
        for seat, letter in zip(found, body["states"], strict=True)
    }


def _seats(body: dict[str, Any]) -> Iterator[tuple[Any, ...]]:
    for section in body["sections"]:
        for row in section["rows"]:
            columns = [numbers(row[name]) for name in ("ids", "numbers", "x", "y", "grades")]
            for at, (pk, number, x, y, grade) in enumerate(zip(*columns, strict=True)):
                flags = (at in row.get("accessible", []), at in row.get("companion", []))
                code = body["grades"][grade]["code"]
                yield (pk, section["code"], row["row"], number, x, y, code, *flags)


def standing(body: dict[str, Any]) -> dict[tuple[str, str], tuple[int, int]]:
    """(section, grade) → seats left, all seats."""
    return {
        (section["code"], body["grades"][entry["grade"]]["code"]): (entry["left"], entry["total"])
        for section in body["sections"]
        for entry in section["standing"]
    }


def unpacked(body: bytes) -> dict[str, Any]:
    return json.loads(gzip.decompress(body))


def seats_in_the_database(event: Event) -> dict[int, tuple[Any, ...]]:
    rows = Seat.objects.filter(event=event, section__kind="seated").values_list(
        *("pk", "section__code", "place__row", "place__number", "place__x", "place__y"),
        *("grade__code", "place__accessible", "place__companion", "state"),
    )
    return {row[0]: row[1:] for row in rows}

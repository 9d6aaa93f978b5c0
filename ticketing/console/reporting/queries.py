"""Runs the statements in sql/: the database counts, and only sums come here."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

SQL = Path(__file__).parent / "sql"
AT_ONCE = 2_000


@cache
def statement(name: str, *, of: str = "") -> str:
    """What is in a file; `of` names the one that it counts."""
    text = (SQL / f"{name}.sql").read_text()
    return f"WITH {of} AS ({statement(of)}) {text}" if of else text


def rows(name: str, *, of: str = "", **values: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement(name, of=of), values)
        return cursor.fetchall()


def row(name: str, *, of: str = "", **values: Any) -> tuple[Any, ...]:
    return rows(name, of=of, **values)[0]


def stream(name: str, **values: Any) -> Iterator[tuple[Any, ...]]:
    """Row by row from a cursor of the server, however many there are."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement(name), values)
        while part := cursor.fetchmany(AT_ONCE):
            yield from part

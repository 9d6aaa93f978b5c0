"""Runs the SQL files of the report. PostgreSQL aggregates; only the results are read here."""

from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Any

from django.db import connection

SQL = Path(__file__).parent / "sql"
ROWS_PER_FETCH = 2_000


@cache
def statement(name: str, *, cte: str = "") -> str:
    """The text of an SQL file; `cte` names the file that it reads from as a WITH query."""
    text = (SQL / f"{name}.sql").read_text()
    return f"WITH {cte} AS ({statement(cte)}) {text}" if cte else text


def rows(name: str, *, cte: str = "", **params: Any) -> list[tuple[Any, ...]]:
    with connection.cursor() as cursor:
        cursor.execute(statement(name, cte=cte), params)
        return cursor.fetchall()


def row(name: str, *, cte: str = "", **params: Any) -> tuple[Any, ...]:
    return rows(name, cte=cte, **params)[0]


def stream(name: str, **params: Any) -> Iterator[tuple[Any, ...]]:
    """Yield the rows from a server-side cursor, so that memory does not grow with their number."""
    with connection.chunked_cursor() as cursor:
        cursor.execute(statement(name), params)
        while chunk := cursor.fetchmany(ROWS_PER_FETCH):
            yield from chunk

"""The SQL statements of reservations, one file each, run by `locks.py`."""

from functools import cache
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent


@cache
def statement(name: str) -> str:
    """The text of `<name>.sql`."""
    return (FOLDER / f"{name}.sql").read_text()


def rows(cursor: Any) -> list[dict[str, Any]]:
    """The rows of the last statement, by column name."""
    names = [column.name for column in cursor.description]
    return [dict(zip(names, row, strict=True)) for row in cursor.fetchall()]

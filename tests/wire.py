"""Counts what goes over the connection to PostgreSQL, BEGIN and COMMIT included."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from django.db import connection


@dataclass
class Wire:
    """The statements that PostgreSQL completed, by their command, and the round trips."""

    statements: list[str] = field(default_factory=list)
    round_trips: int = 0


@contextmanager
def traced(folder: Path) -> Iterator[Wire]:
    """Filled in at the end; this thread's connection only."""
    wire = Wire()
    connection.ensure_connection()
    with (folder / "trace").open("w+") as file:
        connection.connection.pgconn.trace(file.fileno())
        try:
            yield wire
        finally:
            connection.connection.pgconn.untrace()
        file.seek(0)
        for line in file:
            if "\tCommandComplete\t" in line:
                wire.statements.append(line.rpartition("\t")[2].strip(' "\n'))
            wire.round_trips += "\tReadyForQuery\t" in line

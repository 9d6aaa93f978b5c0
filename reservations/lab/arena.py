"""The scratch schema of a race: made, emptied between strategies, and gone afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from reservations.lab.results import Sale
from reservations.lab.terms import SCRATCH, Terms

Connection = psycopg.Connection[tuple]
# Marks a schema as ours beyond doubt, before anything is dropped.
MARK = "scratch tables of `manage.py race`"
TABLES = """
DROP TABLE IF EXISTS sale, seat;
CREATE TABLE seat (id int PRIMARY KEY, version int NOT NULL DEFAULT 0);
CREATE TABLE sale (
    id int GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
    seat int NOT NULL,
    buyer int NOT NULL,
    request text
)
"""
LEFT_BEHIND = """
SELECT nspname FROM pg_namespace
WHERE nspname ~ %s AND obj_description(oid, 'pg_namespace') = %s
"""


class Arena:
    def __init__(self, connection: Connection, terms: Terms) -> None:
        self.connection, self.terms = connection, terms

    def prepare(self, *, constraint: bool) -> None:
        """Empty tables; one sale per seat by constraint only where that is part of the strategy."""
        run = self.connection.execute
        run(TABLES)
        run("INSERT INTO seat (id) SELECT generate_series(1, %s)", [self.terms.seats])
        if constraint:
            run("ALTER TABLE sale ADD CONSTRAINT one_sale_per_seat UNIQUE (seat)")

    def sales(self) -> list[Sale]:
        rows = self.connection.execute("SELECT seat, buyer FROM sale ORDER BY id").fetchall()
        return [Sale(*row) for row in rows]


@contextmanager
def arena(terms: Terms) -> Iterator[Arena]:
    with psycopg.connect(terms.database, autocommit=True) as connection:
        sweep(connection)
        schema = sql.Identifier(terms.schema)
        lock(connection, terms.schema)
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
        try:
            connection.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(schema, MARK))
            connection.execute(sql.SQL("SET search_path TO {}").format(schema))
            yield Arena(connection, terms)
        finally:
            drop(connection, terms.schema)


def sweep(connection: Connection) -> None:
    """Drop what a race that was killed could not; whoever still races holds its lock."""
    pattern = f"^{SCRATCH}_[0-9a-f]{{8}}$"
    for (name,) in connection.execute(LEFT_BEHIND, [pattern, MARK]).fetchall():
        if lock(connection, name):
            drop(connection, name)


def lock(connection: Connection, schema: str) -> bool:
    """Belongs to the connection, so it ends with the race however that ends."""
    statement = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
    row = connection.execute(statement, [schema]).fetchone()
    return bool(row and row[0])


def drop(connection: Connection, schema: str) -> None:
    statement = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema))
    connection.execute(statement)

"""The scratch schema of a race: created, emptied between strategies, dropped afterwards."""

from collections.abc import Iterator
from contextlib import contextmanager

import psycopg
from psycopg import sql

from reservations.lab.config import PREFIX, RaceConfig
from reservations.lab.results import Sale

Connection = psycopg.Connection[tuple]
# The schema's comment: only schemas that carry it are ever dropped.
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
LEFTOVERS = """
SELECT nspname FROM pg_namespace
WHERE nspname ~ %s AND obj_description(oid, 'pg_namespace') = %s
"""


class ScratchSchema:
    def __init__(self, connection: Connection, config: RaceConfig) -> None:
        self.connection, self.config = connection, config

    def prepare(self, *, constraint: bool) -> None:
        """Create empty tables, with a unique constraint if the strategy uses one."""
        run = self.connection.execute
        run(TABLES)
        run("INSERT INTO seat (id) SELECT generate_series(1, %s)", [self.config.seats])
        if constraint:
            run("ALTER TABLE sale ADD CONSTRAINT one_sale_per_seat UNIQUE (seat)")

    def sales(self) -> list[Sale]:
        rows = self.connection.execute("SELECT seat, buyer FROM sale ORDER BY id").fetchall()
        return [Sale(*row) for row in rows]


@contextmanager
def scratch_schema(config: RaceConfig) -> Iterator[ScratchSchema]:
    with psycopg.connect(config.database, autocommit=True) as connection:
        drop_leftovers(connection)
        schema = sql.Identifier(config.schema)
        try_lock(connection, config.schema)
        connection.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
        try:
            connection.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(schema, MARK))
            connection.execute(sql.SQL("SET search_path TO {}").format(schema))
            yield ScratchSchema(connection, config)
        finally:
            drop(connection, config.schema)


def drop_leftovers(connection: Connection) -> None:
    """Drop the schemas of killed races; a running race holds the lock of its own."""
    pattern = f"^{PREFIX}_[0-9a-f]{{8}}$"
    for (name,) in connection.execute(LEFTOVERS, [pattern, MARK]).fetchall():
        if try_lock(connection, name):
            drop(connection, name)


def try_lock(connection: Connection, schema: str) -> bool:
    """A session lock, which ends with the connection however the race ends."""
    statement = "SELECT pg_try_advisory_lock(hashtextextended(%s, 0))"
    row = connection.execute(statement, [schema]).fetchone()
    return bool(row and row[0])


def drop(connection: Connection, schema: str) -> None:
    statement = sql.SQL("DROP SCHEMA IF EXISTS {} CASCADE").format(sql.Identifier(schema))
    connection.execute(statement)

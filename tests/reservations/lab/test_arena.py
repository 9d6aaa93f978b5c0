"""Scratch tables leave nothing behind, and take nothing away."""

import psycopg
import pytest
from psycopg import sql

from reservations.lab.arena import MARK, arena
from tests.reservations.lab.scenes import make_terms

KILLED, MARKED_BY_NOBODY = "laboratory_00000001", "laboratory_00000002"


def schemas(database: psycopg.Connection) -> set[str]:
    found = database.execute("SELECT nspname FROM pg_namespace WHERE nspname ~ '^laboratory_'")
    return {name for (name,) in found}


def make_schema(database: psycopg.Connection, name: str, mark: str) -> None:
    schema = sql.Identifier(name)
    database.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
    database.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(schema, mark))


def test_it_is_gone_afterwards(database, terms):
    with arena(terms) as scene:
        scene.prepare(constraint=True)
        assert terms.schema in schemas(database)

    assert terms.schema not in schemas(database)


def test_it_is_gone_after_a_failure_too(database, terms):
    with pytest.raises(KeyboardInterrupt), arena(terms):
        raise KeyboardInterrupt

    assert terms.schema not in schemas(database)


def test_what_a_killed_race_left_is_swept_by_the_next_and_nothing_else(database, terms):
    make_schema(database, KILLED, MARK)
    make_schema(database, MARKED_BY_NOBODY, "results of the laboratory, do not touch")

    with arena(make_terms()) as running, arena(terms):
        found = schemas(database)

        assert KILLED not in found
        assert {MARKED_BY_NOBODY, running.terms.schema, terms.schema} <= found
    database.execute(f"DROP SCHEMA {MARKED_BY_NOBODY}")

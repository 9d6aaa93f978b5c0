"""Scratch tables leave nothing behind, and take nothing away."""

import psycopg
import pytest
from psycopg import sql

from reservations.lab.scratch_schema import MARK, scratch_schema
from tests.reservations.lab.making import make_config

KILLED, MARKED_BY_NOBODY = "lab_00000001", "lab_00000002"


def schemas(database: psycopg.Connection) -> set[str]:
    found = database.execute("SELECT nspname FROM pg_namespace WHERE nspname ~ '^lab_'")
    return {name for (name,) in found}


def make_schema(database: psycopg.Connection, name: str, mark: str) -> None:
    schema = sql.Identifier(name)
    database.execute(sql.SQL("CREATE SCHEMA {}").format(schema))
    database.execute(sql.SQL("COMMENT ON SCHEMA {} IS {}").format(schema, mark))


def test_it_is_gone_afterwards(database, config):
    with scratch_schema(config) as schema:
        schema.prepare(constraint=True)
        assert config.schema in schemas(database)

    assert config.schema not in schemas(database)


def test_it_is_gone_after_a_failure_too(database, config):
    with pytest.raises(KeyboardInterrupt), scratch_schema(config):
        raise KeyboardInterrupt

    assert config.schema not in schemas(database)


def test_what_a_killed_race_left_is_swept_by_the_next_and_nothing_else(database, config):
    make_schema(database, KILLED, MARK)
    make_schema(database, MARKED_BY_NOBODY, "results of the laboratory, do not touch")

    with scratch_schema(make_config()) as running, scratch_schema(config):
        found = schemas(database)

        assert KILLED not in found
        assert {MARKED_BY_NOBODY, running.config.schema, config.schema} <= found
    database.execute(f"DROP SCHEMA {MARKED_BY_NOBODY}")

"""After a test that commits, what it wrote is taken away again, and nothing else.

Django empties every table and fills in permissions anew, which takes longer than most tests.
"""

from typing import Any

from django.db import connection, connections
from django.test import TransactionTestCase
from psycopg.pq import TransactionStatus

from payments.sandbox import timers

# So many rows are thrown away with the file that holds them.
MANY = 1_000
# In any order, past every foreign key and trigger.
FUNCTION = """
CREATE FUNCTION clear_tables() RETURNS void LANGUAGE plpgsql
SET session_replication_role = replica AS $$ BEGIN {} END $$
"""
NEW = """
IF EXISTS (SELECT FROM {table}) THEN
    IF (SELECT count(*) = {many} FROM (SELECT FROM {table} LIMIT {many}) AS first_rows) THEN
        TRUNCATE {table} CASCADE;
    ELSE
        DELETE FROM {table};
    END IF;
END IF;
"""
FROM_MIGRATIONS = "DELETE FROM {table} WHERE id > {last};"


def prepare() -> None:
    """Once, before any test: rows that are here now came with the migrations, and stay."""
    with connection.cursor() as cursor:
        tables = sorted({*connection.introspection.table_names(cursor)} - {"django_migrations"})
        cursor.execute(FUNCTION.format("".join(_clearing(cursor, table) for table in tables)))
    TransactionTestCase._fixture_teardown = _clear  # type: ignore[attr-defined]
    TransactionTestCase._should_reload_connections = _must_reconnect  # type: ignore[attr-defined]


def _clearing(cursor: Any, table: str) -> str:
    name = connection.ops.quote_name(table)
    cursor.execute(f"SELECT EXISTS (SELECT FROM {name})")
    if not cursor.fetchone()[0]:
        return NEW.format(table=name, many=MANY)
    cursor.execute(f"SELECT max(id) FROM {name}")
    return FROM_MIGRATIONS.format(table=name, last=cursor.fetchone()[0])


def _clear(test: TransactionTestCase) -> None:
    timers.cancel_all()  # their work is about rows that are deleted now
    clear_tables()


def _must_reconnect(test: TransactionTestCase) -> bool:
    """Django connects anew after each such test; a new session then plans every statement anew."""
    return not all(_is_clean(each) for each in connections.all(initialized_only=True))


def _is_clean(each: Any) -> bool:
    if each.connection is None:
        return True
    is_idle = each.connection.info.transaction_status == TransactionStatus.IDLE
    return is_idle and not each.errors_occurred


def clear_tables() -> None:
    """Delete everything that tests committed."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT clear_tables()")

"""Statements of coroutines: few connections, none left in an unknown state."""

import asyncio
from uuid import uuid4

import pytest
from asgiref.sync import sync_to_async
from django.db import DataError, OperationalError, connection, connections
from psycopg.errors import LockNotAvailable

from ticketing.core import async_database, clock
from ticketing.core.async_database import AsyncDatabase
from ticketing.core.postgresql.base import breaker

pytestmark = pytest.mark.django_db(transaction=True)
BACKEND = "SELECT pg_backend_pid()"
SIZE = 3


@pytest.fixture
async def database(transactional_db):
    opened = AsyncDatabase(SIZE)
    yield opened
    opened.close()
    await sync_to_async(connections.close_all)()


def run(statement, *values):
    with connection.cursor() as cursor:
        cursor.execute(statement, values)
        return cursor.fetchone()


def change(statement):
    with connection.cursor() as cursor:
        cursor.execute(statement)


async def test_values_go_there_and_come_back(database, now):
    types = ["text", "bigint", "bool", "bigint[]", "timestamptz", "int", "uuid", "bytea", "text[]"]
    statement = "SELECT " + ", ".join(f"${n}::{kind}" for n, kind in enumerate(types, start=1))
    values = ["가'\"", 7, True, [1, 2], now, None, uuid4(), b"\\\0'", ['a"b', "c\\d,", "{}", ""]]

    row = await database.fetch_row(statement, values)

    assert list(row) == values
    assert row[4].utcoffset().total_seconds() == 0


async def test_rows_come_with_the_names_of_their_columns(database):
    statement = "SELECT number, $1::text AS text FROM generate_series(1, $2::int) AS number"

    assert await database.fetch(statement, ["a", 2]) == (["number", "text"], [(1, "a"), (2, "a")])
    assert await database.fetch(statement, ["a", 0]) == (["number", "text"], [])


def overtaken(ended, number):
    """How many came before this one and ended after it: those on the other connections."""
    return sum(later < number for later in ended[ended.index(number) :])


async def test_a_crowd_shares_a_few_connections_in_order_of_arrival(database):
    ended = []

    async def ask(number):
        backend, _ = await database.fetch_row("SELECT pg_backend_pid(), pg_sleep(0.01)", [])
        ended.append(number)
        return backend

    backends = await asyncio.gather(*(ask(number) for number in range(20)))

    assert len(set(backends)) == SIZE
    assert all(overtaken(ended, number) < SIZE for number in ended), ended


def test_control_who_is_served_out_of_order_overtakes_many():
    assert overtaken([0, 1, 2, 19, *range(3, 19)], 19) == 16


async def test_a_statement_is_prepared_once_per_connection(database):
    count = "SELECT count(*) FROM pg_prepared_statements"
    for _ in range(3):
        found = await database.fetch_row(count, [])

    assert found == (1,)


async def test_what_a_pooler_forgot_is_prepared_anew(database):
    await database.fetch_row(BACKEND, [])
    database._idle[0]._libpq.exec_(b"DEALLOCATE ALL")

    assert await database.fetch_row(BACKEND, [])


async def test_what_a_migration_changed_is_prepared_anew(database):
    await sync_to_async(change)("CREATE TABLE changing (a int)")
    await database.fetch("SELECT * FROM changing", [])
    await sync_to_async(change)("ALTER TABLE changing ADD COLUMN b int")
    try:
        assert await database.fetch("SELECT * FROM changing", []) == (["a", "b"], [])
    finally:
        await sync_to_async(change)("DROP TABLE changing")


async def test_an_error_is_djangos_and_the_connection_stays(database):
    (before,) = await database.fetch_row(BACKEND, [])

    with pytest.raises(DataError):
        await database.fetch_row("SELECT 1 / $1::int", [0])

    assert await database.fetch_row(BACKEND, []) == (before,)


async def test_a_lock_timeout_can_be_told_from_an_outage(database):
    raise_it = "SELECT set_config('lock_timeout', '1ms', false), pg_advisory_lock(14)"
    with pytest.raises(OperationalError) as refused:
        await asyncio.gather(*(database.fetch_row(raise_it, []) for _ in range(2)))

    assert isinstance(refused.value.__cause__, LockNotAvailable)


async def test_an_idle_connection_that_was_cut_is_replaced(database):
    (before,) = await database.fetch_row(BACKEND, [])
    await sync_to_async(run)("SELECT pg_terminate_backend(%s, 5000)", before)

    assert await database.fetch_row(BACKEND, []) != (before,)


async def test_a_connection_that_is_cut_while_in_use_fails_its_statement_only(database):
    (backend,) = await database.fetch_row(BACKEND, [])
    hanging = asyncio.create_task(database.fetch_row("SELECT pg_sleep(60)", []))
    await _until_running(backend)
    await sync_to_async(run)("SELECT pg_terminate_backend(%s, 5000)", backend)

    with pytest.raises(OperationalError):
        await hanging
    assert await database.fetch_row("SELECT 1", []) == (1,)


async def test_a_silent_server_counts_as_down(database, monkeypatch):
    monkeypatch.setattr(async_database, "TIMEOUT_SECONDS", 0.05)
    monkeypatch.setattr(clock, "monotonic", lambda: 1_000.0)  # of the breaker

    with pytest.raises(OperationalError, match="in time"):
        await database.fetch_row("SELECT pg_sleep(0.5)", [])
    with pytest.raises(OperationalError, match="paused for a moment"):
        await database.fetch_row("SELECT 1", [])

    monkeypatch.undo()
    breaker.close()
    assert await database.fetch_row("SELECT 1", []) == (1,)


async def test_the_answer_of_a_cancelled_statement_reaches_nobody_else(database):
    (backend,) = await database.fetch_row(BACKEND, [])
    task = asyncio.create_task(database.fetch_row("SELECT 'late', pg_sleep(0.1)", []))
    await _until_running(backend)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert await database.fetch_row("SELECT 'mine'", []) == ("mine",)


async def _until_running(backend):
    state = "SELECT query LIKE '%%pg_sleep%%' FROM pg_stat_activity WHERE pid = %s"
    while not (await sync_to_async(run)(state, backend))[0]:
        await asyncio.sleep(0.01)

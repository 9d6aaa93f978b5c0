"""Statements that are prepared once for each connection, on the level of the protocol."""

import pytest
from django.db import DataError, IntegrityError, connection, transaction
from django.test.utils import CaptureQueriesContext

from ticketing.accounts.models import User
from ticketing.core import sql
from ticketing.core.async_database import close_async_database
from ticketing.core.event_loop import blocking

pytestmark = pytest.mark.django_db(transaction=True)
ADD = "SELECT %(first)s::bigint + %(second)s::bigint AS sum"
MAKE_GROUP = "INSERT INTO auth_group (name) VALUES (%(name)s) RETURNING name"


def prepared(text):
    """How often this connection has prepared it, by the protocol or by SQL."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT from_sql FROM pg_prepared_statements WHERE statement LIKE %s", [f"%{text}%"]
        )
        return [from_sql for (from_sql,) in cursor.fetchall()]


def test_a_statement_is_prepared_once_by_the_protocol():
    assert [sql.rows(ADD, {"first": n, "second": 1}) for n in range(3)] == [
        [{"sum": 1}],
        [{"sum": 2}],
        [{"sum": 3}],
    ]
    assert prepared("bigint + ") == [False]


def test_numbers_of_every_size_share_it():
    for number in (1, 10**5, 10**12):
        sql.rows(ADD, {"first": number, "second": -1})

    assert len(prepared("bigint + ")) == 1


def test_it_survives_a_rollback():
    sql.rows(MAKE_GROUP, {"name": "first"})
    with transaction.atomic():
        sql.rows(MAKE_GROUP, {"name": "never"})
        transaction.set_rollback(True)

    assert sql.rows(MAKE_GROUP, {"name": "never"}) == [{"name": "never"}]
    assert len(prepared("auth_group (name)")) == 1


def test_it_survives_a_violated_constraint():
    sql.rows(MAKE_GROUP, {"name": "taken"})
    with pytest.raises(IntegrityError):
        sql.rows(MAKE_GROUP, {"name": "taken"})

    assert sql.rows(MAKE_GROUP, {"name": "free"}) == [{"name": "free"}]


def test_one_that_can_not_be_prepared_does_not_stop_the_next():
    for _ in range(2):
        with pytest.raises(Exception, match="nowhere"):
            sql.rows("SELECT * FROM nowhere", {})

    assert sql.rows(ADD, {"first": 1, "second": 1}) == [{"sum": 2}]


def test_a_new_connection_prepares_anew():
    sql.rows(ADD, {"first": 1, "second": 1})
    connection.close()

    assert sql.rows(ADD, {"first": 1, "second": 1}) == [{"sum": 2}]


async def test_coroutines_get_the_same_rows_from_a_connection_of_their_loop(transactional_db):
    values = {"first": 40, "second": 2}
    try:
        assert await sql.arows(ADD, values) == [{"sum": 42}]
        assert await sql.arows("SELECT 1 AS one WHERE %(no)s", {"no": False}) == []
        with pytest.raises(DataError):
            await sql.arows("SELECT 1 / %(by)s::int", {"by": 0})
    finally:
        close_async_database()


def test_of_a_waiting_thread_they_use_its_own_connection_and_transaction():
    make = blocking(sql.arows)
    with transaction.atomic():
        assert make(MAKE_GROUP, {"name": "never"}) == [{"name": "never"}]
        transaction.set_rollback(True)

    assert make(MAKE_GROUP, {"name": "never"}) == [{"name": "never"}]
    assert len(prepared("auth_group (name)")) == 1


def test_it_is_counted_like_any_other_statement():
    with CaptureQueriesContext(connection) as asked:
        sql.rows(f"-- Add.\n{ADD}", {"first": 1, "second": 1})

    assert [query["sql"] for query in asked] == ["SELECT $1::bigint + $2::bigint AS sum"]


def test_a_row_becomes_an_instance_whose_other_fields_are_read_when_needed(
    fan, django_assert_num_queries
):
    text = 'SELECT id AS "fan.id", display_name AS "fan.display_name" FROM accounts_user'

    found = sql.instance(User, sql.rows(text, {})[0], "fan.")

    with django_assert_num_queries(0):
        assert (found, found.display_name) == (fan, "Ann")
    with django_assert_num_queries(1):
        assert found.email == fan.email

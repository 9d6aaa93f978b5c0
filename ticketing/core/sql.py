"""Runs a statement that is prepared once for each connection, on the level of the protocol.

Planning the statement of a payment takes longer than running it. Outside a transaction block such a
statement is one round trip and commits by itself. A pooler that lends connections for a transaction
knows these statements too (PgBouncer from 1.21 on), unlike those that SQL's PREPARE makes.

`rows` uses Django's connection, `arows` those of the event loop; both prepare in this way.
"""

import re
from collections.abc import Collection, Sequence
from functools import cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, models
from psycopg._preparing import Prepare
from psycopg.rows import dict_row, tuple_row

from ticketing.core.async_database import async_database
from ticketing.core.event_loop import waiting_thread

Model = TypeVar("Model", bound=models.Model)
Key = tuple[bytes, tuple[int, ...]]
PARAMETER = re.compile(r"%\((\w+)\)s")
COMMENT = re.compile(r"^ *--.*\n", re.MULTILINE)
# What each connection has prepared: the statement and the types of its parameters, and its name.
_names: WeakKeyDictionary[Any, dict[Key, bytes]] = WeakKeyDictionary()


class PreparedCursor(psycopg.RawCursor[Any]):
    """Keeps its own list of names: psycopg drops all of its own with every ROLLBACK."""

    def _get_prepared(self, pgq: Any, prepare: bool | None = None) -> tuple[Prepare, bytes]:
        if not connection.settings_dict["PREPARED_STATEMENTS"]:
            return Prepare.NO, b""
        names = _names.setdefault(self._conn, {})
        if name := names.get((pgq.query, pgq.types)):
            return Prepare.YES, name
        return Prepare.SHOULD, b"site_%d" % len(names)

    def _send_query_prepared(self, name: bytes, pgq: Any, *, binary: bool | None = None) -> None:
        _names[self._conn][pgq.query, pgq.types] = name  # the server has accepted it
        self._query = pgq  # for Django's log of queries
        super()._send_query_prepared(name, pgq, binary=binary)


def rows(statement: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a statement with parameters `%(name)s`, and return its rows by column name."""
    text, names = _numbered(statement)
    return fetch(text, [values[name] for name in names], row_factory=dict_row)


def fetch(text: str, values: Sequence[Any], *, row_factory: Any = tuple_row) -> list[Any]:
    """The rows of a statement with parameters `$1`, `$2`, ….

    Numbers are sent without a type, which the statement's context or a cast gives them: otherwise
    each size of number would be prepared anew.
    """
    sent = [str(value) if type(value) is int else value for value in values]
    with connection.cursor() as cursor:
        cursor.cursor = PreparedCursor(connection.connection, row_factory=row_factory)
        cursor.execute(text, sent)
        return list(cursor.fetchall())


async def arows(statement: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    """The same for coroutines, without a thread, as a transaction of its own.

    If a thread waits for this coroutine (`event_loop.blocking`), that thread runs it.
    """
    if waiting := waiting_thread.get():
        return await waiting.call(lambda: rows(statement, values))
    text, names = _numbered(statement)
    found, all_rows = await async_database().fetch(text, [values[name] for name in names])
    return [dict(zip(found, row, strict=True)) for row in all_rows]


def columns(
    model: type[models.Model], table: str, prefix: str = "", *, without: Collection[str] = ()
) -> str:
    """The model's columns for a SELECT, by name: a migration may add one while this is prepared."""
    names = [it.column for it in model._meta.concrete_fields if it.column not in without]
    return ", ".join(f'{table}.{name} AS "{prefix}{name}"' for name in names)


def instance(model: type[Model], row: dict[str, Any], prefix: str = "") -> Model:
    """A model instance of the columns that begin with `prefix`; its other fields are deferred."""
    names = [
        field.attname for field in model._meta.concrete_fields if prefix + field.attname in row
    ]
    return model.from_db(DEFAULT_DB_ALIAS, names, [row[prefix + name] for name in names])


@cache
def _numbered(statement: str) -> tuple[str, tuple[str, ...]]:
    """The statement with `$1`, `$2` … for its parameters, and their names in this order.

    Without comments, so that logs of the server begin with the statement.
    """
    order: dict[str, int] = {}
    text = COMMENT.sub("", statement)
    text = PARAMETER.sub(lambda it: f"${order.setdefault(it[1], len(order) + 1)}", text)
    return text, tuple(order)

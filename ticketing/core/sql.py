"""Runs a statement that is prepared once for each connection, on the level of the protocol.

Planning the statement of a payment takes longer than running it. Outside a transaction block such a
statement is one round trip and commits by itself. A pooler that lends connections for a transaction
knows these statements too (PgBouncer from 1.21 on), unlike those that SQL's PREPARE makes.
"""

import re
from functools import cache
from typing import Any, TypeVar
from weakref import WeakKeyDictionary

import psycopg
from django.db import DEFAULT_DB_ALIAS, connection, models
from psycopg._preparing import Prepare
from psycopg.rows import dict_row

Model = TypeVar("Model", bound=models.Model)
Key = tuple[bytes, tuple[int, ...]]
PARAMETER = re.compile(r"%\((\w+)\)s")
COMMENT = re.compile(r"^ *--.*\n", re.MULTILINE)
# What each connection has prepared: the statement and the types of its parameters, and its name.
_names: WeakKeyDictionary[Any, dict[Key, bytes]] = WeakKeyDictionary()


class PreparedCursor(psycopg.RawCursor[dict[str, Any]]):
    """Keeps its own list of names: psycopg drops all of its own with every ROLLBACK."""

    def _get_prepared(self, pgq: Any, prepare: bool | None = None) -> tuple[Prepare, bytes]:
        names = _names.setdefault(self._conn, {})
        if name := names.get((pgq.query, pgq.types)):
            return Prepare.YES, name
        return Prepare.SHOULD, b"site_%d" % len(names)

    def _send_query_prepared(self, name: bytes, pgq: Any, *, binary: bool | None = None) -> None:
        _names[self._conn][pgq.query, pgq.types] = name  # the server has accepted it
        self._query = pgq  # for Django's log of queries
        super()._send_query_prepared(name, pgq, binary=binary)


def rows(statement: str, values: dict[str, Any]) -> list[dict[str, Any]]:
    """Run a statement with parameters `%(name)s`, and return its rows by column name.

    Numbers are sent without a type, which the statement's context or a cast gives them: otherwise
    each size of number would be prepared anew.
    """
    text, names = _numbered(statement)
    sent = [str(it) if type(it := values[name]) is int else it for name in names]
    with connection.cursor() as cursor:
        cursor.cursor = PreparedCursor(connection.connection, row_factory=dict_row)
        cursor.execute(text, sent)
        return list(cursor.fetchall())


def columns(model: type[models.Model], table: str, prefix: str = "") -> str:
    """The model's columns for a SELECT, by name: a migration may add one while this is prepared."""
    names = [field.column for field in model._meta.concrete_fields]
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

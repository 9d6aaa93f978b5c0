"""PostgreSQL for coroutines: a few connections per event loop, each with one statement at a time.

For statements that are transactions of their own. Straight on libpq, because that takes a third of
the processor time of psycopg's asynchronous cursors, and a fifth of a thread's. A statement is
prepared once per connection on the level of the protocol, behind a pooler too (`core/sql.py`).
"""

import asyncio
from collections.abc import Sequence
from datetime import datetime
from typing import Any
from uuid import UUID
from weakref import WeakKeyDictionary

import psycopg
from django.conf import settings
from django.db import connection as django_connection
from psycopg import AsyncConnection, OperationalError
from psycopg.adapt import Transformer
from psycopg.errors import (
    ConnectionTimeout,
    FeatureNotSupported,
    InvalidSqlStatementName,
    error_from_result,
)
from psycopg.pq import ExecStatus
from psycopg.pq.abc import PGresult

from ticketing.core import clock
from ticketing.core.metrics.machine import DATABASE_LOOP, PoolUse, pools
from ticketing.core.postgresql.base import breaker

# Longer than a statement waits for locks; a hold has more. A silent server counts as down then.
TIMEOUT_SECONDS = 4.0
# Options of Django's own connections that libpq does not know.
ONLY_DJANGO = {"cursor_factory", "context", "prepare_threshold"}
# A migration or a pooler made a prepared statement unusable: it was not run, and is prepared anew.
UNUSABLE = (FeatureNotSupported, InvalidSqlStatementName)
Row = tuple[Any, ...]


class AsyncDatabase:
    """At most `size` connections; who finds none free waits in order of arrival."""

    def __init__(self, size: int) -> None:
        self._size, self._free = size, asyncio.Semaphore(size)
        self._idle: list[Connection] = []
        self._callers = 0

    async def fetch_row(
        self, statement: str, values: Sequence[Any], *, timeout: float | None = None
    ) -> Row:
        """The only row of a statement with `$1`, `$2`, …; raises Django's database errors."""
        _, [row] = await self.fetch(statement, values, timeout=timeout)
        return row

    async def fetch(
        self, statement: str, values: Sequence[Any], *, timeout: float | None = None
    ) -> tuple[list[str], list[Row]]:
        """The names of the columns, and all rows."""
        self._callers += 1
        try:
            async with self._free:
                breaker.require_closed()
                try:
                    return await self._fetch(statement, values, timeout)
                except UNUSABLE:
                    return await self._fetch(statement, values, timeout)
        except psycopg.Error:
            with django_connection.wrap_database_errors:
                raise
        finally:
            self._callers -= 1

    async def _fetch(
        self, statement: str, values: Sequence[Any], timeout: float | None
    ) -> tuple[list[str], list[Row]]:
        connection = self._idle_connection() or await Connection.connect()
        began = clock.monotonic()
        try:
            return await connection.fetch(statement, values, timeout)
        finally:
            DATABASE_LOOP.note(clock.monotonic() - began)
            self._idle.append(connection)

    def _idle_connection(self) -> "Connection | None":
        while self._idle:
            connection = self._idle.pop()
            if connection.is_open:
                return connection
            connection.close()
        return None

    def use(self) -> PoolUse:
        used = min(self._callers, self._size)
        return PoolUse(self._size, used, self._callers - used)

    def close(self) -> None:
        while connection := self._idle_connection():
            connection.close()


class Connection:
    """One statement at a time; closed when a statement did not come to its end."""

    def __init__(self, connected: AsyncConnection[Any]) -> None:
        self._connected, self._libpq = connected, connected.pgconn
        self._types = Transformer(connected)
        self._loop = asyncio.get_running_loop()
        self._answer: asyncio.Future[PGresult] | None = None
        self._prepares = django_connection.settings_dict["PREPARED_STATEMENTS"]
        self._names: dict[str, bytes] = {}
        self._socket = self._libpq.socket
        self._loop.add_reader(self._socket, self._read)

    @classmethod
    async def connect(cls) -> "Connection":
        options = django_connection.get_connection_params()
        options = {name: value for name, value in options.items() if name not in ONLY_DJANGO}
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS):
                connected = await AsyncConnection.connect(**options, autocommit=True)
                await connected.execute("SELECT set_config('TimeZone', 'UTC', false)")
        except (TimeoutError, ConnectionTimeout) as late:
            breaker.open()
            raise OperationalError("PostgreSQL did not answer in time") from late
        return cls(connected)

    @property
    def is_open(self) -> bool:
        return not self._connected.closed

    async def fetch(
        self, statement: str, values: Sequence[Any], timeout: float | None
    ) -> tuple[list[str], list[Row]]:
        try:
            async with asyncio.timeout(TIMEOUT_SECONDS if timeout is None else timeout):
                result = await self._run(statement, [_text(value) for value in values])
        except TimeoutError as late:
            breaker.open()
            self.close()
            raise OperationalError("PostgreSQL did not answer in time") from late
        except BaseException:
            self.close()
            raise
        breaker.close()
        if not self.is_open:
            self.close()
            raise OperationalError("the connection to PostgreSQL was lost")
        if result.status != ExecStatus.TUPLES_OK:
            error = error_from_result(result)
            if isinstance(error, UNUSABLE):
                self.close()
            raise error
        self._types.set_pgresult(result)
        names = [(result.fname(column) or b"").decode() for column in range(result.nfields)]
        return names, self._types.load_rows(0, result.ntuples, tuple)

    async def _run(self, statement: str, values: list[bytes | None]) -> PGresult:
        if not self._prepares:
            self._libpq.send_query_params(statement.encode(), values)
            return await self._result()
        name = self._names.get(statement)
        if name is None:
            name = b"fast_%d" % len(self._names)
            self._libpq.send_prepare(name, statement.encode())
            if (prepared := await self._result()).status != ExecStatus.COMMAND_OK:
                return prepared
            self._names[statement] = name
        self._libpq.send_query_prepared(name, values)
        return await self._result()

    def _result(self) -> "asyncio.Future[PGresult]":
        self._answer = self._loop.create_future()
        self._libpq.flush()  # a statement is far smaller than the socket's buffer
        return self._answer

    def _read(self) -> None:
        try:
            self._libpq.consume_input()
            if self._libpq.is_busy():
                return
            result = None
            while found := self._libpq.get_result():
                result = found
        except Exception as failure:
            self.close(failure)
            return
        answer, self._answer = self._answer, None
        if result and answer and not answer.done():
            answer.set_result(result)

    def close(self, failure: Exception | None = None) -> None:
        """Whoever awaits an answer gets the failure. The server ends what it has begun."""
        if self._socket >= 0:
            self._loop.remove_reader(self._socket)
            self._socket = -1
            self._libpq.finish()
        if failure and self._answer and not self._answer.done():
            self._answer.set_exception(failure)


# By event loop, because a connection belongs to the loop that opened it.
_databases: WeakKeyDictionary[asyncio.AbstractEventLoop, AsyncDatabase] = WeakKeyDictionary()


def async_database() -> AsyncDatabase:
    """The connections of this event loop."""
    loop = asyncio.get_running_loop()
    if loop not in _databases:
        _databases[loop] = AsyncDatabase(settings.FAST_PATH_THREADS)
        pools["database"] = _databases[loop].use
    return _databases[loop]


def close_async_database() -> None:
    """Close the connections of this event loop, before it ends."""
    if database := _databases.pop(asyncio.get_running_loop(), None):
        database.close()


def _text(value: Any) -> bytes | None:
    """A value as PostgreSQL reads it."""
    if value is None:
        return None
    if isinstance(value, str):
        return value.encode()
    if isinstance(value, list):
        return b"{%b}" % b",".join(map(_array_item, value))
    if isinstance(value, datetime):
        return value.isoformat().encode()
    if isinstance(value, UUID):
        return value.hex.encode()
    if isinstance(value, bytes):
        return b"\\x%b" % value.hex().encode()
    return b"%d" % value  # booleans are numbers, too


def _array_item(value: int | str) -> bytes:
    if isinstance(value, int):
        return b"%d" % value
    quoted = value.replace("\\", "\\\\").replace('"', '\\"')
    return f'"{quoted}"'.encode()

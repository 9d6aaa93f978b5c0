"""Django's PostgreSQL backend, for threads that must not wait for a silent server for ever.

An idle connection is checked without a round trip. TCP notices a machine that is gone, not a server
that is stalled: where `limit_silence` was called, a statement without an answer fails; after that,
new connections are refused at once, but for one try a second.
"""

import select
from functools import partial
from typing import Any

from django.db import OperationalError
from django.db.backends.postgresql import base
from psycopg import Connection
from psycopg import OperationalError as PostgresError
from psycopg.errors import ConnectionTimeout, _WaitTimeout

from ticketing.core import clock
from ticketing.core.breaker import Breaker
from ticketing.core.metrics.machine import DATABASE_THREADS

breaker = Breaker(OperationalError, "postgresql")
_longest_silence: float | None = None


def limit_silence(seconds: float) -> None:
    """From now on no statement of this process waits longer for its answer."""
    global _longest_silence
    _longest_silence = seconds


class DatabaseWrapper(base.DatabaseWrapper):
    connection: Any

    def get_new_connection(self, conn_params: dict[str, Any]) -> Any:
        breaker.require_closed()
        try:
            connection = super().get_new_connection(conn_params)
        except ConnectionTimeout:
            breaker.open()
            raise
        breaker.close()
        # Django connects with psycopg's own class, so the method is replaced on the object.
        connection.wait = partial(_wait, connection)
        return connection

    def is_usable(self) -> bool:
        """Whether a connection that was idle can be used again.

        A server that closed it has sent something, so silence means that it is open. Django asks
        `SELECT 1` for every request; that is left for connections with something to read, and for
        those on which a statement failed.
        """
        if self.connection is None or self.connection.closed:
            return False
        if self.errors_occurred or _has_input(self.connection.fileno()):
            return super().is_usable()
        return True


def _has_input(descriptor: int) -> bool:
    poll = select.poll()
    poll.register(descriptor, select.POLLIN)
    return bool(poll.poll(0))


def _wait(connection: Connection[Any], *args: Any, **options: Any) -> Any:
    options.setdefault("timeout", _longest_silence)
    began = clock.monotonic()
    try:
        return Connection.wait(connection, *args, **options)
    except _WaitTimeout as silence:
        breaker.open()
        connection.close()
        raise PostgresError("PostgreSQL did not answer in time") from silence
    finally:
        DATABASE_THREADS.note(clock.monotonic() - began)

"""A buyer's access to the scratch tables; counts and times every statement."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.synchronize import Semaphore
from typing import Any

import psycopg

from reservations.lab import timer
from reservations.lab.config import RaceConfig
from reservations.lab.results import DatabaseCost


class NoConnection(Exception):
    """No connection of the pool became free in time."""


class SeatDatabase:
    """A connection of its own, used only while holding a slot of the shared pool."""

    def __init__(self, config: RaceConfig, pool: Semaphore) -> None:
        self.config, self.pool = config, pool
        self.statements, self.seconds = 0, 0.0
        self._connection = psycopg.connect(config.database, autocommit=True, prepare_threshold=None)
        self._connection.execute("SELECT set_config('search_path', %s, false)", [config.schema])

    @property
    def cost(self) -> DatabaseCost:
        return DatabaseCost(self.statements, self.seconds)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commits unless something is raised; read committed."""
        with self._pool_slot():
            self._run("BEGIN ISOLATION LEVEL READ COMMITTED")
            try:
                yield
            except BaseException:
                self._run("ROLLBACK")
                raise
            self._run("COMMIT")

    def is_sold(self, seat: int) -> bool:
        return bool(self._run("SELECT FROM sale WHERE seat = %s LIMIT 1", seat))

    def sell(self, seat: int, buyer: int, request: str | None = None) -> None:
        self._run(
            "INSERT INTO sale (seat, buyer, request) VALUES (%s, %s, %s)", seat, buyer, request
        )

    def request_that_bought(self, seat: int) -> str | None:
        found = self._run("SELECT request FROM sale WHERE seat = %s LIMIT 1", seat)
        return found[0][0] if found else None

    def lock(self, seat: int) -> None:
        """Lock the seat's row until the commit."""
        timeout = f"{int(self.config.lock_timeout * 1000)}ms"
        self._run("SELECT set_config('lock_timeout', %s, true)", timeout)
        self._run("SELECT FROM seat WHERE id = %s FOR UPDATE", seat)

    def version_if_free(self, seat: int) -> int | None:
        free = "NOT EXISTS (SELECT FROM sale WHERE sale.seat = seat.id)"
        found = self._run(f"SELECT version FROM seat WHERE id = %s AND {free}", seat)  # noqa: S608
        return found[0][0] if found else None

    def next_version(self, seat: int, seen: int) -> bool:
        """Raise the version; False if somebody else did so first."""
        statement = "UPDATE seat SET version = version + 1 WHERE id = %s AND version = %s"
        return bool(self._run(f"{statement} RETURNING version", seat, seen))

    def load_other_page(self) -> None:
        """A page of somebody who buys nothing; it needs a connection, too."""
        with self._pool_slot():
            self._run("SELECT count(*) FROM seat")

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _pool_slot(self) -> Iterator[None]:
        if not self.pool.acquire(timeout=self.config.wait):
            raise NoConnection
        try:
            yield
        finally:
            self.pool.release()

    def _run(self, statement: str, *values: Any) -> Sequence[Any]:
        began = timer.now()
        try:
            cursor = self._connection.execute(statement, values)
            return cursor.fetchall() if cursor.description is not None else ()
        finally:
            self.statements += 1
            self.seconds += timer.now() - began

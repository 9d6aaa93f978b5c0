"""The scratch tables as buyers use them, with every statement counted and timed."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing.synchronize import Semaphore
from typing import Any

import psycopg

from reservations.lab import stopwatch
from reservations.lab.results import Ledger
from reservations.lab.terms import Terms


class NoConnection(Exception):
    """None of the site's connections came free in time."""


class Desk:
    """A connection of one's own, used only while one of the site's shared few is free."""

    def __init__(self, terms: Terms, pool: Semaphore) -> None:
        self.terms, self.pool = terms, pool
        self.statements, self.seconds = 0, 0.0
        self._connection = psycopg.connect(terms.database, autocommit=True, prepare_threshold=None)
        self._connection.execute("SELECT set_config('search_path', %s, false)", [terms.schema])

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.statements, self.seconds)

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """Commits, unless something is raised. Each statement sees what is committed by then."""
        with self._borrowed():
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
        """The row stays locked until the commit, or until this process is dead."""
        patience = f"{int(self.terms.lock_timeout * 1000)}ms"
        self._run("SELECT set_config('lock_timeout', %s, true)", patience)
        self._run("SELECT FROM seat WHERE id = %s FOR UPDATE", seat)

    def version_if_free(self, seat: int) -> int | None:
        free = "NOT EXISTS (SELECT FROM sale WHERE sale.seat = seat.id)"
        found = self._run(f"SELECT version FROM seat WHERE id = %s AND {free}", seat)  # noqa: S608
        return found[0][0] if found else None

    def next_version(self, seat: int, seen: int) -> bool:
        """Whether nobody was faster since that version was seen."""
        statement = "UPDATE seat SET version = version + 1 WHERE id = %s AND version = %s"
        return bool(self._run(f"{statement} RETURNING version", seat, seen))

    def show_another_page(self) -> None:
        """What somebody reads who buys nothing; it needs a connection, too."""
        with self._borrowed():
            self._run("SELECT count(*) FROM seat")

    def close(self) -> None:
        self._connection.close()

    @contextmanager
    def _borrowed(self) -> Iterator[None]:
        if not self.pool.acquire(timeout=self.terms.wait):
            raise NoConnection
        try:
            yield
        finally:
            self.pool.release()

    def _run(self, statement: str, *values: Any) -> Sequence[Any]:
        began = stopwatch.now()
        try:
            cursor = self._connection.execute(statement, values)
            return cursor.fetchall() if cursor.description is not None else ()
        finally:
            self.statements += 1
            self.seconds += stopwatch.now() - began

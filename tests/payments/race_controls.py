"""For controls: removes a lock or constraint, so that a race is known to be real."""

import asyncio
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any

from django.db import connection, transaction

from payments import locks
from payments.models import Payment
from tests.waiting import wait_until

# Sessions of this database that wait for a lock.
WAITING = """
    SELECT count(DISTINCT pid) FROM pg_locks JOIN pg_stat_activity USING (pid)
    WHERE NOT granted AND datname = current_database()
"""


def change_sql(
    monkeypatch: Any, name: str, before: str, after: str = "", *, place: Any = locks
) -> None:
    """Remove or replace a part of an SQL statement; `place` has the function that reads it."""
    real, text = place.statement, place.statement(name)
    assert before in text
    changed = text.replace(before, after)
    monkeypatch.setattr(place, "statement", lambda each: changed if each == name else real(each))


@contextmanager
def without_index(*names: str) -> Iterator[None]:
    """Drop unique indexes, and create them again at the end."""
    made = [_definition(name) for name in names]
    with connection.cursor() as cursor:
        for name, (_, drop) in zip(names, made, strict=True):
            cursor.execute(drop.format(name=name))
        try:
            yield
        finally:
            cursor.execute("SET session_replication_role = replica")
            cursor.execute(f"DELETE FROM {Payment._meta.db_table}")
            cursor.execute("SET session_replication_role = DEFAULT")
            for create, _ in made:
                cursor.execute(create)


def _definition(name: str) -> tuple[str, str]:
    """The statements that create and drop an index; some belong to a constraint."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT indexdef FROM pg_indexes WHERE indexname = %s", [name])
        (index,) = cursor.fetchone()
        cursor.execute("SELECT count(*) FROM pg_constraint WHERE conname = %s", [name])
        (constraints,) = cursor.fetchone()
    table = Payment._meta.db_table
    if not constraints:
        return index, "DROP INDEX {name}"
    columns = index[index.rindex("(") :]
    return (
        f"ALTER TABLE {table} ADD CONSTRAINT {name} UNIQUE {columns}",
        f"ALTER TABLE {table} DROP CONSTRAINT {{name}}",
    )


def meet_before(monkeypatch: Any, place: Any, name: str, count: int) -> None:
    """Let `count` callers wait for each other before the coroutine runs."""
    real, met = getattr(place, name), asyncio.Barrier(count)

    async def together(*args: Any, **kwargs: Any) -> Any:
        async with asyncio.timeout(60):
            await met.wait()
        return await real(*args, **kwargs)

    monkeypatch.setattr(place, name, together)


def together_at_locked(rows: Any, count: int, work: Callable[[], Any]) -> list[Any]:
    """Run `work` in threads that all arrive while the rows are locked."""
    with ThreadPoolExecutor(count) as threads:
        with transaction.atomic():
            assert list(rows.select_for_update(no_key=True))
            coming = [threads.submit(_closing(work)) for _ in range(count)]
            wait_until(lambda: waiting_sessions() + sum(each.done() for each in coming) == count)
        return [each.result() for each in coming]


def while_uncommitted(first: Callable[[], Any], second: Callable[[], Any]) -> Any:
    """What `second` returned or raised, that came when `first` was done and not yet committed."""
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            first()
            coming = threads.submit(_closing(second))
            wait_until(lambda: waiting_sessions() or coming.done())
        return coming.result()


def waiting_sessions() -> int:
    with connection.cursor() as cursor:
        # Within a transaction PostgreSQL caches the statistics views.
        cursor.execute("SELECT pg_stat_clear_snapshot()")
        cursor.execute(WAITING)
        return int(cursor.fetchone()[0])


def _closing(work: Callable[[], Any]) -> Callable[[], Any]:
    def run() -> Any:
        try:
            return work()
        except Exception as refusal:
            return refusal
        finally:
            connection.close()

    return run

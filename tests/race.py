"""Runs one function in many threads at once, each with its own database connection."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection

from tests.waiting import PATIENCE, wait_until

WAITS_FOR_ME = """
    SELECT EXISTS (
        SELECT FROM pg_locks
        WHERE NOT granted AND pg_backend_pid() = ANY (pg_blocking_pids(pid))
    )
"""


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What each of `count` concurrent calls returned, or the exception that it raised."""
    start = Barrier(count)

    def call(number: int) -> Any:
        start.wait(PATIENCE)
        try:
            return work(number)
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(call, range(count)))


def wait_unless_blocking(true: Callable[[], object]) -> None:
    """Within a transaction: wait until it is true, or until others wait for the transaction."""
    wait_until(lambda: true() or _somebody_waits_for_me())


def _somebody_waits_for_me() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(WAITS_FOR_ME)
        return bool(cursor.fetchone()[0])


def winners(results: list[Any]) -> list[Any]:
    return [result for result in results if not isinstance(result, Exception)]

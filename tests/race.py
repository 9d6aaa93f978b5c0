"""Runs one function in many threads at once, each with its own database connection."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What each of `count` concurrent calls returned, or the exception that it raised."""
    start = Barrier(count)

    def call(number: int) -> Any:
        start.wait(10)
        try:
            return work(number)
        except Exception as error:
            return error
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(call, range(count)))


def winners(results: list[Any]) -> list[Any]:
    return [result for result in results if not isinstance(result, Exception)]

"""Runs one thing in many threads at the same moment, each with its own database connection."""

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

from django.db import connection


def together(count: int, work: Callable[[int], Any]) -> list[Any]:
    """What each of `count` simultaneous calls returned, or the exception that it raised."""
    start = Barrier(count)

    def one(number: int) -> Any:
        start.wait(10)
        try:
            return work(number)
        except Exception as refusal:
            return refusal
        finally:
            connection.close()

    with ThreadPoolExecutor(count) as threads:
        return list(threads.map(one, range(count)))


def winners(results: list[Any]) -> list[Any]:
    return [result for result in results if not isinstance(result, Exception)]

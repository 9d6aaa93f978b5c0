"""A per-process cache with a lifetime, so that a crowd queries the database once."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ticketing.core import clock

P = ParamSpec("P")
T = TypeVar("T")
MAX_ENTRIES = 1_000
_caches: list[dict[Any, Any]] = []


def ttl_cache(seconds: float) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Cache a function's results for so many seconds; None and exceptions are not cached."""

    def decorate(function: Callable[P, T]) -> Callable[P, T]:
        results: dict[Any, tuple[float, T]] = {}
        _caches.append(results)

        @wraps(function)
        def cached(*args: P.args, **kwargs: P.kwargs) -> T:
            key = (args, tuple(sorted(kwargs.items())))
            expires, result = results.get(key, (0.0, None))
            if result is not None and clock.monotonic() < expires:
                return result
            result = function(*args, **kwargs)
            if len(results) >= MAX_ENTRIES:
                results.clear()
            results[key] = clock.monotonic() + seconds, result
            return result

        return cached

    return decorate


def clear_ttl_caches() -> None:
    """Clear every cache; for tests."""
    for results in _caches:
        results.clear()

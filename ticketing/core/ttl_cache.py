"""A per-process cache with a lifetime, so that a crowd queries the database once."""

from collections.abc import Callable
from functools import update_wrapper
from typing import Any, Generic, ParamSpec, TypeVar

from ticketing.core import clock

P = ParamSpec("P")
T = TypeVar("T")
K = TypeVar("K")
MAX_ENTRIES = 1_000
_caches: list[dict[Any, Any]] = []


class TtlCached(Generic[P, T]):
    """A function whose results are kept for some seconds; exceptions and None are not."""

    def __init__(self, function: Callable[P, T], seconds: float) -> None:
        self._function, self._seconds = function, seconds
        self._results: dict[Any, tuple[float, T]] = clearable({})
        update_wrapper(self, function)

    def __call__(self, *args: P.args, **kwargs: P.kwargs) -> T:
        kept = self.cached(*args, **kwargs)
        return self.refresh(*args, **kwargs) if kept is None else kept

    def refresh(self, *args: P.args, **kwargs: P.kwargs) -> T:
        """Call the function, whatever is kept."""
        result = self._function(*args, **kwargs)
        if len(self._results) >= MAX_ENTRIES:
            self._results.clear()
        self._results[_key(args, kwargs)] = clock.monotonic() + self._seconds, result
        return result

    def cached(self, *args: P.args, **kwargs: P.kwargs) -> T | None:
        """The kept result, if there is one; never calls the function."""
        return self.cached_and_age(*args, **kwargs)[0]

    def cached_and_age(self, *args: P.args, **kwargs: P.kwargs) -> tuple[T | None, float]:
        """The same, and how much of its lifetime is over; 1 if there is none."""
        until, result = self._results.get(_key(args, kwargs), (0.0, None))
        left = until - clock.monotonic()
        return (result, 1 - left / self._seconds) if left > 0 else (None, 1.0)


def ttl_cache(seconds: float) -> Callable[[Callable[P, T]], TtlCached[P, T]]:
    """Call the function again only after so many seconds."""
    return lambda function: TtlCached(function, seconds)


def _key(args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    return args, tuple(sorted(kwargs.items()))


def clearable(results: dict[K, T]) -> dict[K, T]:
    """A cache with rules of its own, which `clear_ttl_caches` empties, too."""
    _caches.append(results)
    return results


def clear_ttl_caches() -> None:
    """Clear every cache; for tests."""
    for results in _caches:
        results.clear()

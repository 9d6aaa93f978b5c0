"""Answers that may be a second old, kept in the process: a crowd asks the database once."""

from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

from ticketing.core import clock

P = ParamSpec("P")
T = TypeVar("T")
MOST = 1_000
_all: list[dict[Any, Any]] = []


def ttl_cache(seconds: float) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Ask the same thing again only after so long; a refusal is never kept."""

    def remembering(ask: Callable[P, T]) -> Callable[P, T]:
        answers: dict[Any, tuple[float, T]] = {}
        _all.append(answers)

        @wraps(ask)
        def remembered(*args: P.args, **kwargs: P.kwargs) -> T:
            key = (args, tuple(sorted(kwargs.items())))
            until, answer = answers.get(key, (0.0, None))
            if answer is not None and clock.monotonic() < until:
                return answer
            fresh = ask(*args, **kwargs)
            if len(answers) >= MOST:
                answers.clear()
            answers[key] = clock.monotonic() + seconds, fresh
            return fresh

        return remembered

    return remembering


def forget_everything() -> None:
    """For tests, which change the world faster than anybody else."""
    for answers in _all:
        answers.clear()

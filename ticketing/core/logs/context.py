"""The ids that every line of a piece of work names: of its request, task, event, payment ….

A request costs one variable: its ids are looked for when somebody writes a line. They go along into
page threads, Celery's messages (`logs/task_signals.py`) and coroutines that are started.
"""

import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, TypeVar
from uuid import uuid4

T = TypeVar("T")
HEADER = b"x-request-id"
# As proxies make it; anything else that a client sends is replaced.
REQUEST_ID = re.compile(rb"[0-9a-fA-F-]{16,64}")
IN_PATH = re.compile(
    r"/events/(?P<event>[0-9]{1,18})/|/reservations/(?P<reservation>[A-Z0-9]{1,12})/"
    r"|/payments/(?P<payment>[A-Za-z0-9-]{6,40})/"
)
Ids = dict[str, str]

_scope: ContextVar[Any] = ContextVar("log_scope", default=None)
_ids: ContextVar[Ids | None] = ContextVar("log_ids", default=None)

# From here on this task works on a request; a server has a task for each.
enter_request: Callable[[Any], Any] = _scope.set


@contextmanager
def log_ids(**ids: Any) -> Iterator[None]:
    """Name these in every line until the end of the block."""
    before = _ids.set({**(_ids.get() or {}), **{name: str(value) for name, value in ids.items()}})
    try:
        yield
    finally:
        _ids.reset(before)


def current_ids() -> Ids:
    """All ids that are known here."""
    found, scope = dict(_ids.get() or {}), _scope.get()
    if scope is not None:
        found = _ids_of(scope) | found
    return found


def carried(work: Callable[[], T]) -> Callable[[], T]:
    """The work for another thread, with the ids of this one."""
    scope, ids = _scope.get(), _ids.get()

    def run() -> T:
        tokens = _scope.set(scope), _ids.set(ids)
        try:
            return work()
        finally:
            _scope.reset(tokens[0])
            _ids.reset(tokens[1])

    return run


def _ids_of(scope: Any) -> Ids:
    in_path = IN_PATH.search(scope["path"])
    found = in_path.groupdict() if in_path else {}
    return {"request": request_id(scope)} | {name: value for name, value in found.items() if value}


def request_id(scope: Any) -> str:
    """The proxy's, or one that is made when it is first needed."""
    if "request_id" not in scope:
        sent = next((value for name, value in scope["headers"] if name == HEADER), b"")
        scope["request_id"] = sent.decode() if REQUEST_ID.fullmatch(sent) else uuid4().hex
    return str(scope["request_id"])

"""Celery's tasks: how many are sent, how long they wait for a worker, and how long they take."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from celery.signals import before_task_publish, task_failure, task_postrun, task_prerun

from ticketing.core import clock
from ticketing.core.metrics.families import Counter, Histogram

SENT = Counter("tasks_sent_total", "Tasks sent by this process.", ["task"])
FAILURES = Counter("task_failures_total", "Tasks that ended with an error.", ["task"])
SECONDS = Histogram("task_seconds", "How long tasks took.", ["task"])
WAIT = Histogram("task_wait_seconds", "From sending a task to its start.", ["queue"])
SENT_AT = "sent_at"  # in a message's headers

_began: dict[str, float] = {}


@contextmanager
def timed_task(name: str) -> Iterator[None]:
    """For a task that runs inside another one; its error is counted and raised."""
    began = clock.monotonic()
    try:
        yield
    except Exception:
        FAILURES.labels(name).inc()
        raise
    finally:
        SECONDS.labels(name).note(clock.monotonic() - began)


def _sent(sender: str, headers: dict[str, Any], **_: Any) -> None:
    headers[SENT_AT] = clock.now().timestamp()
    SENT.labels(sender).inc()


def _begins(task_id: str, task: Any, **_: Any) -> None:
    _began[task_id] = clock.monotonic()
    sent_at = task.request.get(SENT_AT)
    if isinstance(sent_at, float):
        queue = (task.request.delivery_info or {}).get("routing_key") or "celery"
        WAIT.labels(queue).note(max(clock.now().timestamp() - sent_at, 0.0))


def _ended(task_id: str, task: Any, **_: Any) -> None:
    began = _began.pop(task_id, None)
    if began is not None:
        SECONDS.labels(task.name).note(clock.monotonic() - began)


def _failed(sender: Any, **_: Any) -> None:
    FAILURES.labels(sender.name).inc()


def connect_signals() -> None:
    before_task_publish.connect(_sent)
    task_prerun.connect(_begins)
    task_postrun.connect(_ended)
    task_failure.connect(_failed)

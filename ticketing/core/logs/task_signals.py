"""Takes the ids of a request along to the tasks that it sends, and adds the task's own."""

from contextlib import AbstractContextManager
from typing import Any

from celery.signals import before_task_publish, task_postrun, task_prerun

from ticketing.core.logs.context import current_ids, log_ids

IDS = "log_ids"  # in a message's headers

_blocks: dict[str, AbstractContextManager[None]] = {}


def _sent(headers: dict[str, Any], **_: Any) -> None:
    if ids := current_ids():
        headers[IDS] = {name: value for name, value in ids.items() if name != "task"}


def _begins(task_id: str, task: Any, **_: Any) -> None:
    ids = task.request.get(IDS) or {}
    block = _blocks[task_id] = log_ids(**ids | {"task": task_id})
    block.__enter__()


def _ended(task_id: str, **_: Any) -> None:
    if block := _blocks.pop(task_id, None):
        block.__exit__(None, None, None)


def connect_signals() -> None:
    before_task_publish.connect(_sent)
    task_prerun.connect(_begins)
    task_postrun.connect(_ended)

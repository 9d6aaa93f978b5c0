"""A line that is drawn all along, and what its tests ask of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from shutil import copytree

import pytest

from waiting_queue import selectors, services, store
from waiting_queue.models import SaleQueue
from waiting_queue.store import scripts

FIRST = [str(number) for number in range(1, 21)]
SECOND = [str(number) for number in range(21, 41)]
THIRD = [str(number) for number in range(41, 61)]


def begin_of_minute(now: datetime) -> datetime:
    return now.replace(second=0, microsecond=0)


def join_all(queue: SaleQueue, people: list[str], now: datetime) -> None:
    answers = store.run_all([store.join(queue.pk, person, now) for person in people])
    assert {answer.outcome for answer in answers} == {"joined"}


def tick(now: datetime) -> None:
    services.tick_open_queues(now=now)


def numbers(queue: SaleQueue, people: list[str], now: datetime) -> list[int]:
    looks = store.run_all([store.peek(queue.pk, person, now) for person in people])
    return [found.number for found in looks]


def states(queue: SaleQueue, people: list[str], now: datetime) -> set[str]:
    return {found.state for found in store.run_all([store.peek(queue.pk, p, now) for p in people])}


def checks(queue: SaleQueue) -> dict[str, bool]:
    published = selectors.published_draw(SaleQueue.objects.get(pk=queue.pk))
    return {check.code: check.passed for check in selectors.draw_checks(published)}


@contextmanager
def changed_script(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, file: str, right: str, wrong: str
) -> Iterator[None]:
    """For controls: a mistake in one of the scripts."""
    copytree(scripts.FOLDER, tmp_path, dirs_exist_ok=True)
    text = (tmp_path / file).read_text()
    assert right in text
    (tmp_path / file).write_text(text.replace(right, wrong))
    monkeypatch.setattr(scripts, "FOLDER", tmp_path)
    scripts.script.cache_clear()
    try:
        yield
    finally:
        monkeypatch.undo()
        scripts.script.cache_clear()

import secrets
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from itertools import takewhile
from typing import Any

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext
from redis.client import Monitor

from ticketing.core import redis


def until_said(seen: Monitor, word: str) -> Iterator[dict[str, Any]]:
    return takewhile(lambda said: word not in said["command"], seen.listen())


@pytest.fixture
def counting_redis() -> Callable[[], AbstractContextManager[Counter[str]]]:
    """Counts the commands that the server itself saw, in this worker's Redis number."""

    @contextmanager
    def counting() -> Iterator[Counter[str]]:
        counted: Counter[str] = Counter()
        client, begin, end = redis.client(), secrets.token_hex(8), secrets.token_hex(8)
        mine = int(client.connection_pool.connection_kwargs["db"])
        with client.monitor() as seen:
            client.echo(begin)  # a new connection introduces itself before this
            yield counted
            client.echo(end)
            said = [said["command"] for said in until_said(seen, end) if said["db"] == mine]
        after = said[[begin in command for command in said].index(True) + 1 :]
        counted.update(command.split()[0].lower() for command in after)

    return counting


@pytest.fixture
def counting_sql() -> Callable[[], CaptureQueriesContext]:
    return lambda: CaptureQueriesContext(connection)

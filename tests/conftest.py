import functools
from collections.abc import Iterator
from datetime import datetime
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.utils import translation
from redis.asyncio.connection import ConnectionPool as AsyncConnectionPool
from redis.connection import ConnectionPool

from payments.sandbox import timers
from tests import clearing
from tests.making import make_event, make_user
from tests.soak import SOAK
from ticketing.accounts.models import User
from ticketing.core import clock, redis
from ticketing.core.ttl_cache import clear_ttl_caches
from ticketing.events.models import Event

# Files that take longest begin first, so that no worker is left with one at the end.
LONGEST = (
    "rehearsal/test_small.py",
    "runner/test_up.py",
    "bench/test_benches.py",
    "saga/test_kill_matrix.py",
    "browser/test_waiting.py",
    "browser/test_seats.py",
    "browser/test_console.py",
    "browser/test_door.py",
)
# The same hash function with the smallest parameters: a real password hash takes 0.2 s.
Argon2PasswordHasher.time_cost, Argon2PasswordHasher.parallelism = 1, 1
Argon2PasswordHasher.memory_cost = 8


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: the browser's driver leaves an event loop running in its worker."""
    items.sort(
        key=lambda item: (
            "browser" in item.path.parts,
            not item.path.as_posix().endswith(LONGEST),
        )
    )


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """In `make soak` a soak test runs many times, unless it does more in one run by itself."""
    mark = metafunc.definition.get_closest_marker("soak")
    if SOAK > 1 and mark and not mark.kwargs.get("scales"):
        metafunc.fixturenames.append("soak_round")
        metafunc.parametrize("soak_round", range(SOAK))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    with django_db_blocker.unblock():
        clearing.prepare()
    yield
    timers.cancel_all()  # none may ask a database that is gone


class RedisUse:
    """Whether this process has taken a connection to Redis since it was last emptied."""

    def __init__(self) -> None:
        self.used = True

    def watch(self, pool: type) -> None:
        get_connection = pool.get_connection

        @functools.wraps(get_connection)
        def watched(*args: Any, **kwargs: Any) -> Any:
            self.used = True
            return get_connection(*args, **kwargs)

        pool.get_connection = watched


@pytest.fixture(scope="session")
def redis_use() -> RedisUse:
    use = RedisUse()
    for pool in (ConnectionPool, AsyncConnectionPool):
        use.watch(pool)
    return use


@pytest.fixture(autouse=True)
def empty_redis(redis_use: RedisUse) -> None:
    """Each test starts with an empty Redis database of its worker, and with empty local caches."""
    clear_ttl_caches()
    translation.deactivate()  # the language of the request that a test before made
    if redis_use.used:
        assert "db=" in settings.REDIS_URL
        redis.client().flushdb()  # which holds the cache, too
        redis_use.used = False


@pytest.fixture
def now() -> datetime:
    return clock.now()


@pytest.fixture
def fan(db: None) -> User:
    return make_user(display_name="Ann")


@pytest.fixture
def operator(db: None) -> User:
    return make_user(email="operator@example.com", is_staff=True, is_superuser=True)


@pytest.fixture
def event(db: None, now: datetime) -> Event:
    return make_event(now)

import asyncio
import functools
import gc
import logging
import os
from collections.abc import Iterator
from datetime import datetime
from importlib import import_module
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth import login
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.http import HttpRequest
from django.test import Client
from django.utils import translation
from redis.asyncio.connection import ConnectionPool as AsyncConnectionPool
from redis.connection import ConnectionPool
from whitenoise.base import WhiteNoise

from payments.sandbox import timers
from tests import clearing
from tests.making import make_event, make_user
from tests.soak import SOAK
from tests.waiting import PATIENCE
from ticketing.accounts.models import User
from ticketing.core import clock, redis
from ticketing.core.auto_pipeline import AutoPipeline
from ticketing.core.live import hub as live
from ticketing.core.postgresql.base import breaker as postgresql_breaker
from ticketing.core.ttl_cache import clear_ttl_caches
from ticketing.events.models import Event

# Files that take longest begin first, in this order, so that no worker is left with one at the end.
LONGEST = (
    "rehearsal/test_small.py",
    "saga/test_kill_matrix.py",
    "runner/test_up.py",
    "bench/test_benches.py",
    "fast_path/test_parity.py",
    "architecture/test_unusable_input.py",
    "fast_path/test_page_parity.py",
    "browser/test_seats.py",
    "browser/test_waiting.py",
    "browser/test_console.py",
    "browser/test_first_event.py",
    "browser/test_purchase.py",
    "browser/test_door.py",
    "browser/test_walk.py",
    "browser/test_quality.py",
    "browser/test_privacy.py",
)
# The same hash function with the smallest parameters: a real password hash takes 0.2 s.
Argon2PasswordHasher.time_cost, Argon2PasswordHasher.parallelism = 1, 1
Argon2PasswordHasher.memory_cost = 8


def pytest_xdist_auto_num_workers() -> int:
    """Three more than this process has cores: tests also wait, for servers and for each other.

    At most seven: all share one PostgreSQL and one Valkey, and whole sites are started, too.
    """
    return min(len(os.sched_getaffinity(0)), 4) + 3


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: the browser's driver leaves an event loop running in its worker."""
    items.sort(key=lambda item: ("browser" in item.path.parts, _turn(item.path.as_posix())))


def _turn(path: str) -> int:
    return next((n for n, name in enumerate(LONGEST) if path.endswith(name)), len(LONGEST))


def pytest_collection_finish() -> None:
    """What is loaded by now stays: no search for garbage needs to look at it again."""
    gc.freeze()


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """In `make soak` a soak test runs many times, unless it does more in one run by itself."""
    mark = metafunc.definition.get_closest_marker("soak")
    if SOAK > 1 and mark and not mark.kwargs.get("scales"):
        metafunc.fixturenames.append("soak_round")
        metafunc.parametrize("soak_round", range(SOAK))


def pytest_unconfigure() -> None:
    """What is thrown away with the process may say so where nobody listens any more."""
    logging.raiseExceptions = False


@pytest.fixture(scope="session")
def django_db_setup(django_test_environment: None, django_db_blocker: Any) -> Iterator[None]:
    """The database is there already (tests/servers.py), and goes with its server."""
    with django_db_blocker.unblock():
        clearing.prepare()
    yield
    timers.cancel_all()  # none may ask a database that is gone


static_files: dict[tuple[str, str], dict[str, Any]] = {}
find_static_files = WhiteNoise.update_files_dictionary


def find_static_files_once(self: WhiteNoise, root: str, prefix: str) -> None:
    """Each test client has a middleware of its own, which would look at a thousand files anew."""
    if (root, prefix) not in static_files:
        find_static_files(self, root, prefix)
        static_files[root, prefix] = dict(self.files)
    self.files.update(static_files[root, prefix])


WhiteNoise.update_files_dictionary = find_static_files_once
log_in = Client._login


def log_in_with_one_session(self: Client, user: User, backend: str | None = None) -> None:
    """Django's client first saves an empty session, which the log-in then replaces."""
    if settings.SESSION_COOKIE_NAME in self.cookies:
        return log_in(self, user, backend)
    request = HttpRequest()
    request.session = import_module(settings.SESSION_ENGINE).SessionStore()
    login(request, user, backend)
    request.session.save()
    return self._set_login_cookies(request)


Client._login = log_in_with_one_session


class RedisUse:
    """Whether this process has used Redis since it was last emptied."""

    def __init__(self) -> None:
        self.used = True

    def watch(self, owner: type, name: str) -> None:
        method = getattr(owner, name)

        @functools.wraps(method)
        def watched(*args: Any, **kwargs: Any) -> Any:
            self.used = True
            return method(*args, **kwargs)

        setattr(owner, name, watched)


@pytest.fixture(scope="session")
def redis_use() -> RedisUse:
    use = RedisUse()
    for pool in (ConnectionPool, AsyncConnectionPool):
        use.watch(pool, "get_connection")
    use.watch(AutoPipeline, "call")  # which keeps its connections
    return use


def close_hubs() -> None:
    """Of a server that goes on for other tests: they count who listens to Redis."""
    for loop, hubs in list(live._hubs.items()):
        for hub in hubs.values() if loop.is_running() else ():
            if hub._tasks:
                asyncio.run_coroutine_threadsafe(hub.close(), loop).result(PATIENCE)


@pytest.fixture(autouse=True)
def empty_redis(redis_use: RedisUse) -> None:
    """Each test starts with an empty Redis database of its worker, and with empty local caches."""
    close_hubs()
    clear_ttl_caches()
    translation.deactivate()  # the language of the request that a test before made
    postgresql_breaker.close()
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

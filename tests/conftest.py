from datetime import datetime
from typing import Any

import pytest
from django.conf import settings
from django.contrib.auth.hashers import Argon2PasswordHasher
from django.core.cache import cache

from tests import clearing
from tests.making import make_event, make_user
from ticketing.accounts.models import User
from ticketing.core import clock, redis
from ticketing.core.ttl_cache import clear_ttl_caches
from ticketing.events.models import Event

# The same hash function with the smallest parameters: a real password hash takes 0.2 s.
Argon2PasswordHasher.time_cost, Argon2PasswordHasher.parallelism = 1, 1
Argon2PasswordHasher.memory_cost = 8


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Browser tests last: the browser's driver leaves an event loop running in its worker."""
    items.sort(key=lambda item: "browser" in item.path.parts)


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: Any) -> None:
    with django_db_blocker.unblock():
        clearing.prepare()


@pytest.fixture(autouse=True)
def empty_redis() -> None:
    """Each test starts with nothing in its worker's own Redis number, and nothing remembered."""
    clear_ttl_caches()
    assert "db=" in settings.REDIS_URL
    redis.client().flushdb()
    cache.clear()


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

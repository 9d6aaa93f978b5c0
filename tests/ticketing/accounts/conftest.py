from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from copy import deepcopy

import pytest
from axes.handlers.proxy import AxesProxyHandler
from django.conf import settings
from django.contrib.auth import SESSION_KEY
from django.test import Client, override_settings

from tests.making import make_user
from ticketing.accounts.models import User
from ticketing.celery import app
from ticketing.core import redis

CLOSED_PORT_URL = "redis://127.0.0.1:1/0"


@pytest.fixture
def ann(db: None) -> User:
    return make_user(email="ann@example.com", display_name="Ann")


@pytest.fixture
def ben(db: None) -> User:
    return make_user(email="ben@example.com", display_name="Ben")


@pytest.fixture
def browser() -> Client:
    """A client that shows error pages instead of raising."""
    return new_browser()


@pytest.fixture
def anns_browser(ann: User) -> Client:
    return logged_in(ann)


@pytest.fixture
def worker() -> Iterator[None]:
    """Tasks run at once, in this process."""
    app.conf.task_always_eager = app.conf.task_eager_propagates = True
    yield
    app.conf.task_always_eager = app.conf.task_eager_propagates = False


def new_browser(**options: object) -> Client:
    return Client(
        raise_request_exception=False,
        headers={"accept-language": "en", "accept": "text/html"},
        **options,
    )


def logged_in(user: User, **options: object) -> Client:
    client = new_browser(**options)
    client.force_login(user)
    return client


def is_logged_in(client: Client) -> bool:
    return SESSION_KEY in client.session


@pytest.fixture
def redis_down() -> Callable[[], AbstractContextManager[None]]:
    """`with redis_down():` Redis cannot be reached; afterwards it is back unchanged."""

    @contextmanager
    def outage() -> Iterator[None]:
        caches = deepcopy(settings.CACHES)
        caches["default"]["LOCATION"] = CLOSED_PORT_URL
        try:
            with override_settings(CACHES=caches, REDIS_URL=CLOSED_PORT_URL):
                reset_connections()
                yield
        finally:
            reset_connections()

    return outage


def reset_connections() -> None:
    redis.client.cache_clear()
    AxesProxyHandler.get_implementation(force=True)

from collections.abc import Iterator

import psycopg
import pytest
from redis import Redis

from reservations.lab import store
from reservations.lab.arena import Arena, arena
from reservations.lab.terms import Terms
from tests.reservations.lab.scenes import make_terms


@pytest.fixture
def terms() -> Terms:
    return make_terms(lease=1.0)


@pytest.fixture
def scene(terms: Terms) -> Iterator[Arena]:
    with arena(terms) as scene:
        scene.prepare(constraint=False)
        yield scene


@pytest.fixture
def redis(terms: Terms) -> Iterator[Redis]:
    client = store.connect(terms)
    yield client
    client.close()


@pytest.fixture
def database(terms: Terms) -> Iterator[psycopg.Connection]:
    """Somebody else's connection."""
    with psycopg.connect(terms.database, autocommit=True) as connection:
        yield connection

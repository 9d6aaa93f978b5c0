from collections.abc import Iterator

import psycopg
import pytest
from redis import Redis

from reservations.lab import store
from reservations.lab.config import RaceConfig
from reservations.lab.scratch_schema import ScratchSchema, scratch_schema
from tests.reservations.lab.making import make_config


@pytest.fixture
def config() -> RaceConfig:
    return make_config(lease=1.0)


@pytest.fixture
def schema(config: RaceConfig) -> Iterator[ScratchSchema]:
    with scratch_schema(config) as schema:
        schema.prepare(constraint=False)
        yield schema


@pytest.fixture
def redis(config: RaceConfig) -> Iterator[Redis]:
    client = store.connect(config)
    yield client
    client.close()


@pytest.fixture
def database(config: RaceConfig) -> Iterator[psycopg.Connection]:
    """Somebody else's connection."""
    with psycopg.connect(config.database, autocommit=True) as connection:
        yield connection

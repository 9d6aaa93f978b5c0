"""A line to back up, and an empty installation to restore it into."""

import os
from collections.abc import Iterator
from pathlib import Path

import psycopg
import pytest

from tests.making import make_event, make_user
from waiting_queue.models import SaleQueue
from waiting_queue.services import drain_journals, join, move_queue

EMPTY_REDIS = 60  # a database number that no worker of the tests has


@pytest.fixture
def media(settings, tmp_path) -> Path:
    settings.MEDIA_ROOT = tmp_path / "media"
    (settings.MEDIA_ROOT / "posters").mkdir(parents=True)
    (settings.MEDIA_ROOT / "posters" / "moon.webp").write_bytes(b"a picture")
    return Path(settings.MEDIA_ROOT)


@pytest.fixture
def sale(now) -> SaleQueue:
    """An open queue with three people in line."""
    queue = SaleQueue.objects.create(event=make_event(now), opens_at=now, max_inside=0)
    move_queue(event_id=queue.pk, to=SaleQueue.State.OPEN, by=None, now=now)
    for _ in range(3):
        join(event_id=queue.pk, person=str(make_user().pk), now=now)
    drain_journals()
    return queue


@pytest.fixture
def empty_site(tmp_path) -> Iterator[dict[str, str]]:
    """The environment of an installation with an empty database."""
    server, name = os.environ["TEST_POSTGRES_URL"], f"restored_{os.getpid()}"
    with psycopg.connect(f"{server}/postgres", autocommit=True) as admin:
        admin.execute(f"CREATE DATABASE {name}")
        yield os.environ | {
            "DATABASE_URL": f"{server}/{name}",
            "REDIS_URL": f"{os.environ['TEST_REDIS_URL']}?db={EMPTY_REDIS}",
            "VAR_DIR": str(tmp_path / "restored"),
            "PORTONE_API_SECRET": "",
            "PAYMENTS_SANDBOX": "0",
        }
        admin.execute(f"DROP DATABASE {name} WITH (FORCE)")

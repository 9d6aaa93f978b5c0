from collections.abc import AsyncIterator
from typing import Any

import pytest
from asgiref.sync import sync_to_async
from django.db import connections

from tests.ticketing.core.fast_path.site import Site
from ticketing.core import event_loop, redis
from ticketing.core.async_database import close_async_database
from waiting_queue.live.hub import QueueHub


@pytest.fixture
async def loop_resources(transactional_db: None, monkeypatch: Any) -> AsyncIterator[None]:
    """Answers come from this event loop; threads keep no connection."""
    monkeypatch.setitem(connections.settings["default"], "CONN_MAX_AGE", 0)
    yield
    await QueueHub.current().close()
    await redis.close_async_clients()
    await event_loop.end()
    close_async_database()
    await sync_to_async(connections.close_all)()


@pytest.fixture
def site(loop_resources: None) -> Site:
    return Site()

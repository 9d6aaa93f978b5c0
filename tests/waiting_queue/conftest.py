from collections.abc import Iterator
from datetime import timedelta

import pytest

from tests.waiting_queue.own_valkey import running_valkey
from ticketing.development.embedded.valkey import Valkey
from waiting_queue import services
from waiting_queue.models import SaleQueue


@pytest.fixture
def queue(event, now) -> SaleQueue:
    """Scheduled: the lobby opens in an hour, the queue in two. Its few seats are for any crowd."""
    return SaleQueue.objects.create(
        event=event,
        stock_factor=1_000,
        lobby_opens_at=now + timedelta(hours=1),
        opens_at=now + timedelta(hours=2),
    )


@pytest.fixture
def open_queue(queue, operator, now) -> SaleQueue:
    return services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)


@pytest.fixture
def own_valkey(monkeypatch: pytest.MonkeyPatch) -> Iterator[Valkey]:
    """A Valkey with an append-only file, which the test may kill."""
    with running_valkey(monkeypatch) as valkey:
        yield valkey

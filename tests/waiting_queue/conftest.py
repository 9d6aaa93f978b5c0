from datetime import timedelta

import pytest

from waiting_queue import services
from waiting_queue.models import SaleQueue


@pytest.fixture
def queue(event, now) -> SaleQueue:
    """Scheduled: the lobby opens in an hour, the queue in two."""
    return SaleQueue.objects.create(
        event=event,
        lobby_opens_at=now + timedelta(hours=1),
        opens_at=now + timedelta(hours=2),
    )


@pytest.fixture
def open_queue(queue, operator, now) -> SaleQueue:
    return services.move_queue(event_id=queue.pk, to="open", by=operator, now=now)

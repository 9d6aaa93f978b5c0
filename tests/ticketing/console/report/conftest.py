from datetime import timedelta

import pytest

from tests.ticketing.console.report.journal import Journal
from waiting_queue.models import SaleQueue


@pytest.fixture
def queue(event, now):
    return SaleQueue.objects.create(event=event, opens_at=now - timedelta(hours=1), state="open")


@pytest.fixture
def journal(queue, now):
    return Journal(queue, (now - timedelta(minutes=30)).replace(microsecond=0))

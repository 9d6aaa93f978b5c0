"""The queues of the demo: each opens with its sale, after half an hour of lobby."""

from datetime import datetime, timedelta
from typing import Any

from ticketing.models import Event
from waiting_queue.models import SaleQueue

LOBBY = timedelta(minutes=30)


def plant_queues(*, events: list[Event], now: datetime, **_: Any) -> None:
    SaleQueue.objects.bulk_create(
        SaleQueue(event=event, lobby_opens_at=event.on_sale_at - LOBBY, opens_at=event.on_sale_at)
        for event in events
    )

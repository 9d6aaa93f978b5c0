"""Lanes of a queue with keys, for tests."""

from datetime import datetime
from typing import Any

from waiting_queue import services
from waiting_queue.models import Lane, SaleQueue


def add_lane(
    queue: SaleQueue, now: datetime, *, limits: dict[str, Any] | None = None, **fields: Any
) -> Lane:
    values = {"name_ko": "팬클럽 선예매", "name_en": "Fan-club presale", "key": Lane.Key.CODES}
    lane = Lane(queue=queue, **values | fields)
    return services.save_lane(lane=lane, by=None, now=now, limits=limits or {})


def add_codes(lane: Lane, now: datetime, count: int = 1) -> list[str]:
    return services.generate_codes(lane=lane, count=count, by=None, now=now)

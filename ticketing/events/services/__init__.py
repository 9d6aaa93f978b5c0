from ticketing.events.services.events import move_event, open_due_sales
from ticketing.events.services.seats import (
    block_seats,
    create_seats,
    next_seats_version,
    release_seats,
)

__all__ = [
    "block_seats",
    "create_seats",
    "move_event",
    "next_seats_version",
    "open_due_sales",
    "release_seats",
]

from ticketing.services.events import move_event, open_due_sales
from ticketing.services.seats import block_seats, create_seats, release_seats, seats_changed

__all__ = [
    "block_seats",
    "create_seats",
    "move_event",
    "open_due_sales",
    "release_seats",
    "seats_changed",
]

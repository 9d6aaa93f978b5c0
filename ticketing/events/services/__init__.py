from ticketing.events.locks import event_for_update
from ticketing.events.services.events import move_event, open_due_sales
from ticketing.events.services.seats import (
    block_seats,
    create_seats,
    next_seats_version,
    release_seats,
)

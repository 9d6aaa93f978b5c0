"""Every Redis key of events and seats. The braces keep an event's keys in one cluster slot."""


def seats_version(event_id: int) -> str:
    """Gets a new value whenever a seat of the event changes."""
    return f"ticketing:{{{event_id}}}:seats:version"


def seat_list(event_id: int) -> str:
    """The latest seat list, preceded by its version."""
    return f"ticketing:{{{event_id}}}:seats:list"


def seat_list_dispatch_lock(event_id: int) -> str:
    """Held by the one request that was sent to a thread to build the seat list."""
    return f"ticketing:{{{event_id}}}:seats:dispatch-lock"


def seat_list_build_lock(event_id: int) -> str:
    """Held by the request that builds the seat list, and for a pause after a slow build."""
    return f"ticketing:{{{event_id}}}:seats:build-lock"

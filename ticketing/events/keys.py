"""Every Redis key of events and seats. The braces keep an event's keys in one cluster slot."""


def seats_version(event_id: int) -> str:
    """Changes whenever a seat of the event does."""
    return f"ticketing:{{{event_id}}}:seats:version"


def seat_list(event_id: int) -> str:
    """The newest seat list that was built, with the version it is known by."""
    return f"ticketing:{{{event_id}}}:seats:list"


def seat_list_errand(event_id: int) -> str:
    """Held by the one of a crowd who was sent to build a seat list."""
    return f"ticketing:{{{event_id}}}:seats:errand"


def seat_list_builder(event_id: int) -> str:
    """Held by the one who builds a seat list now."""
    return f"ticketing:{{{event_id}}}:seats:builder"

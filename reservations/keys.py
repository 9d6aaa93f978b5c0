"""Every Redis key of the seats on sale. The braces keep an event's keys in one cluster slot."""

# Set for a moment after a worker for hold requests was woken up.
WAKE_UP = "reservations:wake_up"


def gate(event_id: int) -> str:
    """Hash of the seats that cannot be held now: seat -> "until_ms:fan:letter of why"."""
    return f"reservations:{{{event_id}}}:gate"


def wanted(event_id: int) -> str:
    """Hash of the seats for which people wait in order: seat -> until_ms."""
    return f"reservations:{{{event_id}}}:wanted"


def seats_left(event_id: int) -> str:
    """How many seats are free."""
    return f"reservations:{{{event_id}}}:seats_left"


def counted(event_id: int) -> str:
    """Set of seats whose hold is in the count of free seats, but not published yet."""
    return f"reservations:{{{event_id}}}:counted"


def attempts(event_id: int, fan_id: int) -> str:
    """How many holds a fan attempted in the current window."""
    return f"reservations:{{{event_id}}}:attempts:{fan_id}"


def seat_updates(event_id: int) -> str:
    """Stream of seat state changes, newest last."""
    return f"reservations:{{{event_id}}}:seat_updates"


def requests(event_id: int) -> str:
    """Stream of state changes of asynchronous hold requests, and of take-overs, newest last."""
    return f"reservations:{{{event_id}}}:requests"

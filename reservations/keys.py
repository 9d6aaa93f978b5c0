"""Every Redis key of the seats on sale. The braces keep an event's keys in one cluster slot."""

# Somebody has just woken up a worker for the requests that wait.
WAKER = "reservations:waker"


def gate(event_id: int) -> str:
    """Seats that are not to be had now: seat -> until when, and by whom."""
    return f"reservations:{{{event_id}}}:gate"


def left(event_id: int) -> str:
    """How many seats are free."""
    return f"reservations:{{{event_id}}}:left"


def tries(event_id: int, fan_id: int) -> str:
    """How often somebody has tried for seats in the last moments."""
    return f"reservations:{{{event_id}}}:tries:{fan_id}"


def news(event_id: int) -> str:
    """What became of which seats, newest last; short."""
    return f"reservations:{{{event_id}}}:news"


def requests(event_id: int) -> str:
    """What became of whose asynchronous request, newest last; short."""
    return f"reservations:{{{event_id}}}:requests"

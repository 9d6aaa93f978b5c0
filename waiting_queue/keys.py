"""Every Redis key of the queue. The braces keep an event's keys in one cluster slot."""

from functools import lru_cache

NAMES = (
    "desk",
    "lobby",
    "line",
    "ready",
    "inside",
    "seen",
    "called",
    "ended",
    "blocked",
    "counter",
    "journal",
    "news",
)


@lru_cache(maxsize=1_024)
def of_event(event_id: int) -> tuple[str, ...]:
    """All keys of an event's queue, in the order in which the scripts expect them."""
    return tuple(key(event_id, name) for name in NAMES)


def key(event_id: int, name: str) -> str:
    return f"queue:{{{event_id}}}:{name}"


def last_pulse(event_id: int) -> str:
    """What everybody was told last, for those who come between two ticks."""
    return key(event_id, "pulse")


def pulses(database: int) -> str:
    """The channel on which ticks reach every server; channels know no database numbers."""
    return f"queue:pulses:{database}"


def lines_of_person(person: str) -> str:
    """The events in whose lines a person stands; a slot of its own."""
    return f"queue:p:{{{person}}}"

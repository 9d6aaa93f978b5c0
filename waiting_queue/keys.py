"""Every Redis key of the queue. The braces keep an event's keys in one cluster slot."""

from functools import lru_cache

# In the order in which the scripts expect them (`lua/_line.lua`).
NAMES = (
    "meta",
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
    "changes",
)


@lru_cache(maxsize=1_024)
def of_event(event_id: int) -> tuple[str, ...]:
    """All keys of an event's queue, in the order of `NAMES`."""
    return tuple(key(event_id, name) for name in NAMES)


def key(event_id: int, name: str) -> str:
    return f"queue:{{{event_id}}}:{name}"


def last_tick_message(event_id: int) -> str:
    """The last tick message without its changes, for those who connect between two ticks."""
    return key(event_id, "tick")


def tick_channel(database: int) -> str:
    """The channel of the tick messages; named by database, because channels have none."""
    return f"queue:ticks:{database}"


def behind() -> str:
    """Exists while a server process says that it answers late."""
    return "queue:behind"


def memberships(person: str) -> str:
    """The events in whose lines a person is; a slot of its own."""
    return f"queue:p:{{{person}}}"

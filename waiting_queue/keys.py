"""Every Redis key of the queue. The braces keep an event's keys in one cluster slot."""

from functools import lru_cache

# What each of them holds says `lua/_line.lua`.
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
    "at_limit",
    "minutes",
    "demoted",
    "bypass",
    "companions",
    "parties",
    "lanes",
    "unverified",
)

# A number says which lane it is in: lane * LANE_NUMBERS + the number within the lane. An arrival in
# the lobby does so with LOBBY_LANE (`lua/_lanes.lua`).
LANE_NUMBERS = 10**10
LOBBY_LANE = 10**13


def number_label(number: int) -> str:
    """Return a number as operators read and enter it: `17`, or `1-17` in lane 1."""
    lane, in_lane = divmod(number, LANE_NUMBERS)
    return f"{lane}-{in_lane:,}" if lane else f"{in_lane:,}"


def of_event(event_id: int) -> tuple[str, ...]:
    """All keys of an event's queue."""
    return named(event_id, NAMES)


@lru_cache(maxsize=4_096)
def named(event_id: int, names: tuple[str, ...]) -> tuple[str, ...]:
    return tuple(key(event_id, name) for name in names)


def key(event_id: int, name: str) -> str:
    return f"queue:{{{event_id}}}:{name}"


def moves(event_id: int, person: str) -> str:
    """How often a person joined and left a line within a minute."""
    return key(event_id, f"moves:{person}")


def invitation(event_id: int, code: str) -> str:
    """The person whose party is joined with this code."""
    return key(event_id, f"invitation:{code}")


def own_code(event_id: int, person: str) -> str:
    """The code of a person's invitation, for as long as it can be used."""
    return key(event_id, f"code:{person}")


def pages(event_id: int) -> str:
    """Open pages, `person:place` by the time until which their place is leased."""
    return key(event_id, "pages")


def last_tick_message(event_id: int) -> str:
    """The last tick message without its changes, for those who connect between two ticks."""
    return key(event_id, "tick")


def joined_from(event_id: int, kind: str, name: str) -> str:
    """Who joined in a rush from one range of addresses, or with one browser."""
    return key(event_id, f"{kind}:{name}")


def asked(event_id: int, person: str) -> str:
    """How often a person asked to join in a rush."""
    return key(event_id, f"asked:{person}")


def challenged(event_id: int) -> str:
    """How many were asked for a challenge."""
    return key(event_id, "challenged")


def solved(event_id: int, name: str) -> str:
    """A challenge whose solution was accepted."""
    return key(event_id, f"solved:{name}")


def holds(event_id: int, kind: str, name: str) -> str:
    """How many holds were asked for from one range of addresses, or with one browser."""
    return key(event_id, f"holds:{kind}:{name}")


def run_outs(event_id: int, kind: str, name: str) -> str:
    """How many holds of a person, a browser or a range of addresses ran out."""
    return key(event_id, f"run_outs:{kind}:{name}")


def cool_down(event_id: int, kind: str, name: str) -> str:
    """Exists while they may hold nothing, because holds ran out again and again."""
    return key(event_id, f"cool_down:{kind}:{name}")


def signals() -> str:
    """Signals of those who joined, until they are in PostgreSQL."""
    return "queue:signals"


def tick_channel(database: int) -> str:
    """The channel of the tick messages; named by database, because channels have none."""
    return f"queue:ticks:{database}"


def behind() -> str:
    """Exists while a server process says that it answers late."""
    return "queue:behind"


def memberships(person: str) -> str:
    """The events in whose lines a person is; a slot of its own."""
    return f"queue:p:{{{person}}}"

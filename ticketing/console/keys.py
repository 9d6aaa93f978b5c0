"""Every Redis key of the console. The braces keep an event's keys in one cluster slot."""

PROCESSES = "console:processes"
PAGES = "console:pages"


def samples(event_id: int) -> str:
    """A sale in numbers, second by second."""
    return f"console:{{{event_id}}}:samples"


def told(database: int) -> str:
    """The channel on which samples reach every server; channels know no database numbers."""
    return f"console:told:{database}"

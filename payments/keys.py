"""Every Redis key of payments. The braces keep a breaker's keys in one cluster slot."""


def calls(gateway: str) -> str:
    """Sorted set of the recent calls to a gateway and whether each succeeded."""
    return f"payments:{{{gateway}}}:calls"


def breaker(gateway: str) -> str:
    """Hash: when the breaker opened, and until when a probe is running."""
    return f"payments:{{{gateway}}}:breaker"


def changes_channel(database: int) -> str:
    """Channel: payments that changed, for the processes that have their sockets."""
    return f"payments:changes:{database}"

"""Every Redis key of payments. The braces keep a breaker's keys in one cluster slot."""


def calls(gateway: str) -> str:
    """Hash: how many of the recent calls to a gateway succeeded and failed, by 5 seconds."""
    return f"payments:{{{gateway}}}:call_counts"


def breaker(gateway: str) -> str:
    """Hash: when the breaker opened, and until when a probe is running."""
    return f"payments:{{{gateway}}}:breaker"


def changes_channel(database: int) -> str:
    """Channel: payments that changed, for the processes that have their sockets."""
    return f"payments:changes:{database}"

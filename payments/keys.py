"""Every Redis key of payments. The braces keep a breaker's keys in one cluster slot."""


def calls(gateway: str) -> str:
    """The last calls to a gateway, and whether they went well."""
    return f"payments:{{{gateway}}}:calls"


def breaker(gateway: str) -> str:
    """Since when the breaker is open, and until when somebody is trying."""
    return f"payments:{{{gateway}}}:breaker"

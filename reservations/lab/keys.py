"""Every Redis key of a race. The braces keep them in one cluster slot."""

from reservations.lab.config import PREFIX, RaceConfig

# Longer than any race; keys of a killed race expire.
TTL_SECONDS = 300


def lock(config: RaceConfig, seat: int) -> str:
    return _key(config, f"lock:{seat}")


def gate(config: RaceConfig, seat: int) -> str:
    """The buyer whose attempt shut the gate."""
    return _key(config, f"gate:{seat}")


def requests(config: RaceConfig, partition: int) -> str:
    """The stream of requests, in order of arrival."""
    return _key(config, f"requests:{partition}")


def worker(config: RaceConfig, partition: int) -> str:
    """The lock of the worker of a partition."""
    return _key(config, f"worker:{partition}")


def states(config: RaceConfig, request: str) -> str:
    """Every state of a request; the last one is current."""
    return _key(config, f"states:{request}")


def answer(config: RaceConfig, request: str) -> str:
    """The final state, pushed to the waiting buyer."""
    return _key(config, f"answer:{request}")


def _key(config: RaceConfig, rest: str) -> str:
    return f"{PREFIX}:{{{config.name}}}:{rest}"

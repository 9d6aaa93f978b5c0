"""The settings of a race, sent to every process that takes part."""

from dataclasses import dataclass, field
from secrets import token_hex

PREFIX = "lab"


@dataclass(frozen=True)
class RaceConfig:
    """Times are in seconds."""

    database: str
    redis_url: str
    name: str = field(default_factory=lambda: token_hex(4))
    buyers: int = 30
    seats: int = 1
    # Time between reading and writing, as a shop needs for prices, limits and the order.
    think: float = 0.02
    # Longest wait for a Redis lock, a connection or an answer.
    wait: float = 10.0
    # Life of a Redis lock. It is renewed while its owner lives, so work may take longer.
    lease: float = 3.0
    # Longest wait for a row lock; meanwhile the connection is not available to other pages.
    lock_timeout: float = 0.5
    # Connections shared by buyers, workers and other pages, as by the threads of a site.
    pool: int = 10
    workers: int = 2
    # For tests: buyers wait for each other while thinking, so that the race always happens.
    think_together: bool = False

    @property
    def schema(self) -> str:
        return f"{PREFIX}_{self.name}"

"""What a race is about, as every process that takes part is told it."""

from dataclasses import dataclass, field
from secrets import token_hex

SCRATCH = "laboratory"


@dataclass(frozen=True)
class Terms:
    """Times are seconds."""

    database: str
    redis_url: str
    name: str = field(default_factory=lambda: token_hex(4))
    buyers: int = 30
    seats: int = 1
    # What a shop does between looking and writing: prices, limits, the order itself.
    think: float = 0.02
    # How long anybody waits for a lock in Redis, for a connection or for an answer.
    wait: float = 10.0
    # How soon a dead process's lock is free. No guess of how long work takes: it is renewed.
    lease: float = 3.0
    # How long a row lock is waited for: meanwhile a connection is of no use to other pages.
    lock_timeout: float = 0.5
    # Connections that buyers, workers and other pages share, as the threads of a site do.
    pool: int = 10
    workers: int = 2
    # For proofs: everybody thinks until everybody thinks, so that a race can't be missed by luck.
    together: bool = False

    @property
    def schema(self) -> str:
        return f"{SCRATCH}_{self.name}"

"""The `qr_…` token: says which person has which number of which event.

It is bound to the number, so it ends with the place in line.
"""

from dataclasses import dataclass
from functools import lru_cache

from ticketing.core.tokens import TokenSigner
from waiting_queue.errors import BadQueueToken

PREFIX = "qr_"
_signer = TokenSigner(PREFIX, "queue token")


@dataclass(frozen=True, slots=True)
class QueueToken:
    event_id: int
    person: str
    number: int
    epoch: str

    def sign(self) -> str:
        return _signer.sign(f"{self.event_id}.{self.person}.{self.number}.{self.epoch}")


@lru_cache(maxsize=16_384)
def read_token(token: str) -> QueueToken:
    """What the token says, if we signed it. Whoever polls sends the same one again and again."""
    try:
        event_id, person, number, epoch = _signer.payload_of(token).split(".")
        return QueueToken(int(event_id), person, int(number), epoch)
    except ValueError:
        raise BadQueueToken() from None

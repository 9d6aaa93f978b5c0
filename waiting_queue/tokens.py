"""The `qr_…` token: says which person has which number of which event.

It is bound to the number, so it ends with the place in line. Of somebody inside it is a pass: it
also names the browser that has the turn, lasts ten minutes, and is renewed by activity.
"""

from dataclasses import dataclass, replace
from datetime import datetime
from functools import lru_cache

from ticketing.core.tokens import TokenSigner
from waiting_queue.errors import BadQueueToken

PREFIX = "qr_"
PASS_SECONDS = 600
# A pass with less than this left is renewed, so that clients get a new one now and then only.
RENEWED_SECONDS = 300
_signer = TokenSigner(PREFIX, "queue token")


@dataclass(frozen=True, slots=True)
class QueueToken:
    event_id: int
    person: str
    number: int
    epoch: str
    browser: str = ""  # of a pass: the mark of the browser that has it
    until: int = 0  # of a pass, in seconds; a place in line has no age limit

    def sign(self) -> str:
        place = f"{self.event_id}.{self.person}.{self.number}.{self.epoch}"
        return _signer.sign(f"{place}.{self.browser}.{self.until}" if self.browser else place)

    def as_pass(self, browser: str, now: datetime) -> "QueueToken":
        return replace(self, browser=browser, until=int(now.timestamp()) + PASS_SECONDS)

    def replaces(self, held: "QueueToken | None") -> bool:
        """Whether the holder of that token needs this one: it says something else, or soon ends."""
        if held is None or self.until - held.until > PASS_SECONDS - RENEWED_SECONDS:
            return True
        return replace(held, until=self.until) != self

    def require_current(self, now: datetime) -> None:
        """A pass that ran out proves nothing; a session gets a new one."""
        if self.browser and now.timestamp() > self.until:
            raise BadQueueToken()


@lru_cache(maxsize=16_384)
def read_token(token: str) -> QueueToken:
    """What the token says, if we signed it. Whoever polls sends the same one again and again."""
    try:
        event_id, person, number, epoch, *rest = _signer.payload_of(token).split(".")
        browser, until = rest or ("", "0")
        return QueueToken(int(event_id), person, int(number), epoch, browser, int(until))
    except ValueError:
        raise BadQueueToken() from None

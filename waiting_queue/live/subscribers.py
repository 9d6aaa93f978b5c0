"""One open waiting page: whose it is, and which rank it was sent last."""

from collections.abc import Mapping
from itertools import count

from ticketing.core.live.send_buffer import NOTHING, Connection
from ticketing.core.live.subscriber import Subscriber
from waiting_queue.store import Standing

# With many open pages (settings.LIVE_EVERYBODY) every step is pushed near the head only
# (settings.LIVE_NEAR). Farther back a step of one in a hundred is pushed, and every page gets a
# message each few seconds, not all in the same one.
RELEVANT_STEP = 0.01
SILENCE_SECONDS = 5
PRESENT = frozenset({"lobby", "waiting", "ready", "admitted"})

_slots = count()


class QueueSubscriber(Subscriber):
    __slots__ = (
        *("browser", "number", "person", "place"),
        *("sent_ahead", "slot", "standing", "turn"),
    )

    def __init__(self, connection: Connection, person: str, browser: str = "") -> None:
        super().__init__(connection)
        self.person, self.browser = person, browser
        self.standing: Standing | None = None
        self.number = 0  # of a person who waits
        self.sent_ahead = -1  # people ahead, as it was sent last
        self.turn = 0  # of the standing that it was sent: what is older is not sent
        self.place = 0  # among the open pages of the person, once it is leased (page_limit.py)
        self.slot = next(_slots) % SILENCE_SECONDS  # the seconds in which it always gets a message

    def push_standing(
        self, standing: Standing, text: str, more: Mapping[str, str] = NOTHING
    ) -> None:
        self.standing, self.sent_ahead, self.turn = standing, standing.ahead, standing.turn
        self.number = standing.number if standing.state == "waiting" else 0
        self.push("standing", text, more)

    def has_lost_place(self, standing: Standing) -> bool:
        """Whether the line was rebuilt without the place that was sent last."""
        before = self.standing
        if before is None or before.state not in PRESENT or standing.state in PRESENT:
            return False
        return before.epoch != standing.epoch

    def is_due(self, ahead: int, near: int, slots: set[int]) -> bool:
        """Whether this rank is worth a message now."""
        step = abs(self.sent_ahead - ahead)
        return self.slot in slots or (step > 0 and (ahead < near or step >= ahead * RELEVANT_STEP))

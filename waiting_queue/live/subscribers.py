"""One open waiting page: whose it is, and which rank it was sent last."""

from itertools import count

from ticketing.core.live.send_buffer import Connection
from ticketing.core.live.subscriber import Subscriber
from waiting_queue.store import Standing

# Near the head every step is pushed (settings.LIVE_NEAR). Farther back a step of one in a hundred
# is pushed, and every page gets a message each few seconds, not all in the same one.
RELEVANT_STEP = 0.01
SILENCE_SECONDS = 5

_slots = count()


class QueueSubscriber(Subscriber):
    __slots__ = ("number", "person", "sent_ahead", "slot", "standing", "turn")

    def __init__(self, connection: Connection, person: str) -> None:
        super().__init__(connection)
        self.person = person
        self.standing: Standing | None = None
        self.number = 0  # of a person who waits
        self.sent_ahead = -1  # people ahead, as it was sent last
        self.turn = 0  # of the standing that it was sent: what is older is not sent
        self.slot = next(_slots) % SILENCE_SECONDS  # the seconds in which it always gets a message

    def push_standing(self, standing: Standing, text: str) -> None:
        self.standing, self.sent_ahead, self.turn = standing, standing.ahead, standing.turn
        self.number = standing.number if standing.state == "waiting" else 0
        self.push("standing", text)

    def is_due(self, ahead: int, near: int, slots: set[int]) -> bool:
        """Whether this rank is worth a message now."""
        step = abs(self.sent_ahead - ahead)
        return self.slot in slots or (step > 0 and (ahead < near or step >= ahead * RELEVANT_STEP))

"""Dies at a chosen moment: before or after a step, once for each purchase and each worker."""

from collections.abc import Callable
from typing import Any

from payments import outbox, saga
from payments.gateways.portone import PortOne
from reservations import services as reservations

# Every step of the saga, every call of the gateway, and the middle of the great transaction.
STEPS: dict[str, tuple[Any, str]] = {
    "begin": (saga, "begin"),
    "prepare": (PortOne, "prepare"),
    "mark_prepared": (saga, "mark_prepared"),
    "mark_charging": (saga, "mark_charging"),
    "charge": (PortOne, "charge"),
    "look": (PortOne, "look"),
    "succeed": (saga, "succeed"),
    "confirm": (reservations, "confirm"),
    "put": (outbox, "put"),
    "fail": (saga, "fail"),
    "give_up": (saga, "give_up"),
    "owe_back": (saga, "owe_back"),
    "refund": (PortOne, "refund"),
    "finish_refund": (saga, "finish_refund"),
}
MOMENTS = [(step, when) for step in STEPS for when in ("before", "after")]


class Killed(BaseException):
    """Nothing may catch it, as nothing catches a power cut."""


class Killer:
    """Strikes the first time that a life comes by."""

    def __init__(self, strike: Callable[[], None] | None = None) -> None:
        self.life: Any = None
        self.struck: set[Any] = set()
        self.strike = strike or self._raise

    def watch(self, step: str, when: str, patch: Callable[..., None]) -> None:
        place, name = STEPS[step]
        real = getattr(place, name)

        def doomed(*args: Any, **kwargs: Any) -> Any:
            if when == "before":
                self.come_by()
            answer = real(*args, **kwargs)
            if when == "after":
                self.come_by()
            return answer

        patch(place, name, doomed)

    def come_by(self) -> None:
        if self.life is not None and self.life not in self.struck:
            self.struck.add(self.life)
            self.strike()

    def survive(self, life: Any, work: Callable[[], Any]) -> bool:
        """Whether nobody died."""
        self.life = life
        try:
            work()
        except Killed:
            return False
        finally:
            self.life = None
        return True

    @staticmethod
    def _raise() -> None:
        raise Killed()

"""Kills a buyer or worker at a chosen moment: before or after a step of the saga."""

from collections.abc import Callable
from typing import Any

from payments import outbox
from payments.gateways.portone import PortOne
from payments.saga import payment_steps, refund_steps
from reservations import services as reservations

# Every transaction and gateway call of the saga, and moments inside of `succeed`.
STEPS: dict[str, tuple[Any, str]] = {
    "begin": (payment_steps, "begin"),
    "prepare": (PortOne, "prepare"),
    "mark_prepared": (payment_steps, "mark_prepared"),
    "mark_charging": (payment_steps, "mark_charging"),
    "charge": (PortOne, "charge"),
    "fetch": (PortOne, "fetch"),
    "succeed": (payment_steps, "succeed"),
    "confirm": (reservations, "confirm"),
    "add_messages": (outbox, "add"),
    "fail": (payment_steps, "fail"),
    "cancel_unpaid": (payment_steps, "cancel_unpaid"),
    "auto_refund": (payment_steps, "auto_refund"),
    "refund": (PortOne, "refund"),
    "finish_refund": (refund_steps, "finish"),
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

"""Kills a buyer or worker at a chosen moment: before or after a step of the saga."""

from collections.abc import Callable
from inspect import iscoroutinefunction
from typing import Any

from payments import outbox
from payments.gateways.portone import PortOne
from payments.saga import payment_steps, refund_steps
from reservations import services as reservations

# Every transaction and gateway call of the saga, and what follows the commit of `succeed`.
STEPS: dict[str, tuple[Any, str]] = {
    "begin": (payment_steps, "begin"),
    "prepare": (PortOne, "prepare"),
    "mark_prepared": (payment_steps, "mark_prepared"),
    "start_charge": (payment_steps, "start_charge"),
    "charge": (PortOne, "charge"),
    "fetch": (PortOne, "fetch"),
    "succeed": (payment_steps, "succeed"),
    "publish_sale": (reservations, "apublish_sale"),
    "add_messages": (outbox, "add"),
    "fail": (payment_steps, "fail"),
    "cancel_unpaid": (payment_steps, "cancel_unpaid"),
    "auto_refund": (payment_steps, "auto_refund"),
    "refund": (PortOne, "refund"),
    "finish_refund": (refund_steps, "finish"),
}
MOMENTS = [(step, when) for step in STEPS for when in ("before", "after")]
Patch = Callable[[Any, str, Any], None]


class Killed(BaseException):
    """Not an Exception, so that no handler catches it, as none catches a power cut."""


class Killer:
    """Kills each life (a purchase or a worker's attempt) the first time that it reaches a step."""

    def __init__(self, kill: Callable[[], None] | None = None) -> None:
        self.life: Any = None
        self.killed: set[Any] = set()
        self.kill = kill or self._raise

    def watch(self, step: str, when: str, patch: Patch) -> None:
        place, name = STEPS[step]
        real = getattr(place, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            if when == "before":
                self.reach()
            answer = real(*args, **kwargs)
            if when == "after":
                self.reach()
            return answer

        async def awatched(*args: Any, **kwargs: Any) -> Any:
            if when == "before":
                self.reach()
            answer = await real(*args, **kwargs)
            if when == "after":
                self.reach()
            return answer

        patch(place, name, awatched if iscoroutinefunction(real) else watched)

    def reach(self) -> None:
        if self.life is not None and self.life not in self.killed:
            self.killed.add(self.life)
            self.kill()

    def run(self, life: Any, work: Callable[[], Any]) -> None:
        self.life = life
        try:
            work()
        except Killed:
            pass
        finally:
            self.life = None

    @staticmethod
    def _raise() -> None:
        raise Killed()


class Recorder:
    """Records which lives reach which steps, and kills nobody."""

    def __init__(self, patch: Patch) -> None:
        self.life: Any = None
        self.reached: set[tuple[str, Any]] = set()
        for step in STEPS:
            self._watch(step, patch)

    def _watch(self, step: str, patch: Patch) -> None:
        place, name = STEPS[step]
        real = getattr(place, name)

        def watched(*args: Any, **kwargs: Any) -> Any:
            self.reached.add((step, self.life))
            return real(*args, **kwargs)

        patch(place, name, watched)

    def run(self, life: Any, work: Callable[[], Any]) -> None:
        self.life = life
        work()

"""A buyer in a fork (tests/forks.py) who acts at random until killed.

What it is about to do and what came of it goes to a file at once, so that nothing is lost with it.
"""

import json
import time
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

from reservations import gate, services
from ticketing.core import clock
from ticketing.core.errors import DomainError


class Buyer:
    def __init__(
        self, *, event: int, fans: list[int], seats: list[int], log: str, seed: int
    ) -> None:
        self.event, self.fans, self.seats = event, fans, seats
        self.random = Random(seed)
        self.log = Path(log).open("a", buffering=1)
        self.orders: list[tuple[str, int]] = []

    def note(self, **fact: Any) -> None:
        self.log.write(json.dumps(fact | {"at": time.time()}) + "\n")

    def act(self) -> None:
        acts = [self.hold] * 6 + [self.best] * 2 + [self.end] * 5 + [self.clear_up]
        with suppress(DomainError):
            self.random.choice(acts)(clock.now())

    def hold(self, now: Any) -> None:
        fan = self.random.choice(self.fans)
        wanted = self.random.sample(self.seats, self.random.randint(1, 3))
        choice = services.SeatChoice.named(wanted)
        held = services.hold_seats(event_id=self.event, choice=choice, fan_id=fan, now=now)
        self.keep(held, fan)

    def best(self, now: Any) -> None:
        fan = self.random.choice(self.fans)
        choice = services.SeatChoice.best(grade="R", quantity=2)
        held = services.hold_seats(event_id=self.event, choice=choice, fan_id=fan, now=now)
        self.keep(held, fan)

    def keep(self, held: Any, fan: int) -> None:
        until, seats = held.reservation.deadline.timestamp(), [seat["id"] for seat in held.seats]
        self.note(what="mine", code=held.reservation.code, seats=seats, until=until)
        self.orders.append((held.reservation.code, fan))

    def end(self, now: Any) -> None:
        """Give back, or pay and keep for a while, or pay and be refunded."""
        if not self.orders:
            return
        code, fan = self.orders.pop(self.random.randrange(len(self.orders)))
        if self.random.random() < 0.5:
            self.note(what="ending", code=code)
            services.release(event_id=self.event, code=code, fan_id=fan, now=now)
            return
        services.extend_for_payment(code=code, fan_id=fan, now=now)
        self.note(what="paying", code=code)
        settle = self.random.choice([services.cancel, services.confirm])
        if settle is services.cancel:
            self.note(what="ending", code=code)
            services.cancel(code=code, now=now)
            return
        services.confirm(code=code, now=now)
        self.note(what="ending", code=code)
        services.refund(code=code, now=now)

    def clear_up(self, now: Any) -> None:
        services.expire_holds(now=now)


def run(**order: Any) -> None:
    if order.pop("careless", False):
        # The control: the gate is open; the database function was changed by the test.
        gate.begin_attempt = lambda *_: None  # type: ignore[assignment]
    buyer = Buyer(**order)
    while True:
        buyer.act()

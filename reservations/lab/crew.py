"""The processes of a race: started once, released together, ended together."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any

from reservations.lab.results import Attempt, Ledger
from reservations.lab.roles import (
    GUN_SECONDS,
    READY,
    Failure,
    Order,
    Role,
    Tools,
    buy_once,
    live,
    serve_a_partition,
    visit_other_pages,
)
from reservations.lab.terms import Terms

SPAWN = get_context("spawn")


Reports = tuple[list[Attempt], list[float], list[Ledger]]


class CrewFailed(Exception):
    """A process could not do its part."""


class Member:
    """A process with an interpreter of its own, and the pipe to it."""

    def __init__(self, role: Role, number: int, tools: Tools) -> None:
        self.post, theirs = SPAWN.Pipe()
        args = (role, number, theirs, tools)
        self.process: BaseProcess = SPAWN.Process(target=live, args=args, daemon=True)
        self.process.start()
        theirs.close()

    def hear(self) -> Any:
        try:
            if not self.post.poll(GUN_SECONDS):
                raise CrewFailed("no answer")
            heard = self.post.recv()
        except (EOFError, ConnectionError):
            raise CrewFailed(f"a process ended ({self.process.exitcode})") from None
        if isinstance(heard, Failure):
            raise CrewFailed(str(heard))
        return heard


class Crew:
    def __init__(self, terms: Terms) -> None:
        self.tools = Tools(
            gun=SPAWN.Barrier(terms.buyers + 2),  # the visitor, and the one who fires it
            everybody=SPAWN.Barrier(terms.buyers),
            pool=SPAWN.Semaphore(terms.pool),
            finish=SPAWN.Event(),
        )
        self.members: list[Member] = []

    def hire(self, *, buyers: int, workers: int) -> None:
        with deaf_to_interrupts():
            self.buyers = self._hired(buy_once, buyers)
            self.workers = self._hired(serve_a_partition, workers)
            (self.visitor,) = self._hired(visit_other_pages, 1)

    def race(self, order: Order, *, workers: bool) -> Reports:
        """What the buyers, the visitor and the workers report."""
        self.tools.finish.clear()
        at_work = self.workers if workers else []
        tell([*at_work, *self.buyers, self.visitor], order)
        self.tools.gun.wait(GUN_SECONDS)
        attempts = [buyer.hear() for buyer in self.buyers]
        self.tools.finish.set()
        return attempts, self.visitor.hear(), [worker.hear() for worker in at_work]

    def end(self) -> None:
        """They have reported what they had to, or never will."""
        for member in self.members:
            member.process.kill()
        for member in self.members:
            member.process.join()

    def _hired(self, role: Role, count: int) -> list[Member]:
        hired = []
        for number in range(count):
            hired.append(Member(role, number, self.tools))
            self.members.append(hired[-1])
        return hired


@contextmanager
def hired(terms: Terms, *, workers: bool) -> Iterator[Crew]:
    crew = Crew(terms)
    try:
        crew.hire(buyers=terms.buyers, workers=terms.workers if workers else 0)
        yield crew
    finally:
        crew.end()


def tell(members: Sequence[Member], order: Order) -> None:
    """Everybody has their connections before the gun is fired."""
    for member in members:
        member.post.send(order)
    for member in members:
        if member.hear() != READY:
            raise CrewFailed("somebody started before the gun")


@contextmanager
def deaf_to_interrupts() -> Iterator[None]:
    """Ctrl-C reaches every process of the terminal; only the first one should act on it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

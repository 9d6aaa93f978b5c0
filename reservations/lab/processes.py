"""The processes of a race: started once, released together, killed together."""

import signal
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import get_context
from multiprocessing.process import BaseProcess
from typing import Any

from reservations.lab.config import RaceConfig
from reservations.lab.results import Attempt, DatabaseCost
from reservations.lab.roles import (
    READY,
    START_TIMEOUT,
    Failure,
    RaceOrder,
    Role,
    SharedTools,
    buy,
    load_other_pages,
    run_role,
    work_on_partition,
)

SPAWN = get_context("spawn")
Reports = tuple[list[Attempt], list[float], list[DatabaseCost]]


class ProcessFailed(Exception):
    """A process ended early, did not answer, or reported an error."""


class RaceProcess:
    """A spawned process and the pipe to it."""

    def __init__(self, role: Role, number: int, tools: SharedTools) -> None:
        self.pipe, child_pipe = SPAWN.Pipe()
        args = (role, number, child_pipe, tools)
        self.process: BaseProcess = SPAWN.Process(target=run_role, args=args, daemon=True)
        self.process.start()
        child_pipe.close()

    def receive(self) -> Any:
        try:
            if not self.pipe.poll(START_TIMEOUT):
                raise ProcessFailed("no answer")
            answer = self.pipe.recv()
        except (EOFError, ConnectionError):
            raise ProcessFailed(f"a process ended ({self.process.exitcode})") from None
        if isinstance(answer, Failure):
            raise ProcessFailed(str(answer))
        return answer


class ProcessGroup:
    """All processes of a race: buyers, workers, and one that loads other pages."""

    def __init__(self, config: RaceConfig) -> None:
        self.tools = SharedTools(
            start=SPAWN.Barrier(config.buyers + 2),  # and the page loader, and this process
            all_buyers=SPAWN.Barrier(config.buyers),
            pool=SPAWN.Semaphore(config.pool),
            finish=SPAWN.Event(),
        )
        self.processes: list[RaceProcess] = []

    def start(self, *, buyers: int, workers: int) -> None:
        with interrupts_blocked():
            self.buyers = self._start(buy, buyers)
            self.workers = self._start(work_on_partition, workers)
            (self.page_loader,) = self._start(load_other_pages, 1)

    def race(self, order: RaceOrder, *, workers: bool) -> Reports:
        """Run one strategy; the reports of the buyers, the page loader and the workers."""
        self.tools.finish.clear()
        working = self.workers if workers else []
        send_order([*working, *self.buyers, self.page_loader], order)
        self.tools.start.wait(START_TIMEOUT)
        attempts = [buyer.receive() for buyer in self.buyers]
        self.tools.finish.set()
        return attempts, self.page_loader.receive(), [worker.receive() for worker in working]

    def kill(self) -> None:
        for each in self.processes:
            each.process.kill()
        for each in self.processes:
            each.process.join()

    def _start(self, role: Role, count: int) -> list[RaceProcess]:
        """One by one into the list, so that `kill` reaches them if a later one fails."""
        for number in range(count):
            self.processes.append(RaceProcess(role, number, self.tools))
        return self.processes[-count:] if count else []


@contextmanager
def process_group(config: RaceConfig, *, workers: bool) -> Iterator[ProcessGroup]:
    processes = ProcessGroup(config)
    try:
        processes.start(buyers=config.buyers, workers=config.workers if workers else 0)
        yield processes
    finally:
        processes.kill()


def send_order(processes: Sequence[RaceProcess], order: RaceOrder) -> None:
    """Send the order and wait until every process has its connections."""
    for each in processes:
        each.pipe.send(order)
    for each in processes:
        if each.receive() != READY:
            raise ProcessFailed("a process started too early")


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Ctrl-C reaches every process of the terminal; only the parent should handle it."""
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)

"""Looks after the processes of the default run, in one thread.

One thread because the kernel ties a child's parent-death signal to the thread that started it.
"""

import os
import selectors
import signal
import socket
import subprocess
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from types import FrameType

from ticketing.development.embedded import process
from ticketing.development.embedded.child import TOO_OFTEN, WINDOW, Child
from ticketing.development.embedded.console import Console
from ticketing.development.embedded.errors import (
    DISK_FULL,
    CannotRun,
    StopAsked,
    disk_full,
    free_megabytes,
)

POLITE = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
ECHO = 0.3
ALMOST_NOTHING = 20  # megabytes


class Supervisor:
    """Starts, watches, restarts and stops children; their logs go to the console."""

    def __init__(self, *, console: Console, data: Path) -> None:
        self.console = console
        self.data = data
        self.children: list[Child] = []
        self.asked_to_stop = 0
        self.last_asked = float("-inf")
        self.stopping = False
        self.selector = selectors.DefaultSelector()
        self._listen_for_signals()

    def add(self, child: Child) -> Child:
        self.children.append(child)
        self._launch(child)
        return child

    def run(self, command: Sequence[str | Path], *, cwd: Path, log: Path) -> None:
        """Run one job to its end; its words are shown only if it fails."""
        job = Child(name=log.stem, start=_starter(command, cwd))
        output = job.launch()
        said: list[str] = []
        try:
            while (lines := job.read()) is not None:
                said += lines
                self.turn(0 if lines else 0.02)
        finally:
            if job.alive and job.process:
                process.stop(job.process, patience=3)
            os.close(output)
        if job.wait() != 0:
            raise self._job_failed(job, said, log)

    def wait_for(self, child: Child, answers: Callable[[], bool], patience: float) -> None:
        """Until it answers; the first start must succeed at once."""
        deadline = time.monotonic() + patience
        while not answers():
            self.turn(0.03)
            if child.deaths:
                raise self._explain(f"{child.name} does not start ({child.how_it_ended()}).", child)
            if time.monotonic() > deadline:
                words = f"{child.name} did not answer within {patience:.0f} seconds."
                raise self._explain(words, child)

    def watch(self) -> None:
        """Until somebody asks to stop."""
        while True:
            self.turn(1)

    def turn(self, patience: float) -> None:
        """Pass on what was written, see who died, start again whoever is due."""
        if self.asked_to_stop and not self.stopping:
            raise StopAsked
        due = [child.restart_at for child in self.children if child.restart_at is not None]
        soonest = min((at - time.monotonic() for at in due), default=patience)
        for key, _ in self.selector.select(max(0, min(patience, soonest))):
            if isinstance(key.data, Child):
                self._pass_on(key.data)
            else:
                self._drain()
        if not self.stopping:
            self._mind_the_dead()

    def stop(self, groups: Sequence[Sequence[Child]]) -> None:
        """Stop these groups one after the other; a second Ctrl-C kills everything at once."""
        self.stopping = True
        for group in groups:
            self._stop_group(group)

    # -- starting and dying -----------------------------------------------------------------------

    def _launch(self, child: Child) -> None:
        self.selector.register(child.launch(), selectors.EVENT_READ, child)

    def _mind_the_dead(self) -> None:
        for child in self.children:
            if child.restart_at is not None and child.restart_at <= time.monotonic():
                self._launch(child)
                self.console.say(f"  {child.name} was started again.")
            elif child.restart_at is None and not child.alive:
                self._bury(child)

    def _bury(self, child: Child) -> None:
        self._finish_log(child)
        wait = child.count_death()
        if wait is None:
            words = f"{child.name} died {TOO_OFTEN} times within {WINDOW:.0f} seconds"
            raise self._explain(f"{words} ({child.how_it_ended()}).", child)
        child.restart_at = time.monotonic() + wait
        self.console.say(
            f"  {child.name} died ({child.how_it_ended()}); it is started again in {wait:.1f} s."
        )

    # -- stopping ---------------------------------------------------------------------------------

    @property
    def in_a_hurry(self) -> bool:
        return self.asked_to_stop >= 2

    def _stop_group(self, group: Sequence[Child]) -> None:
        began = time.monotonic()
        waiting = [child for child in group if child.alive]
        for child in waiting:
            child.tell(signal.SIGKILL if self.in_a_hurry else child.stop_signal)
        killed: set[str] = set()
        while waiting:
            self.turn(0.05)
            for child in [child for child in waiting if not child.alive]:
                waiting.remove(child)
                self._say_goodbye(child, time.monotonic() - began, forced=child.name in killed)
            for child in waiting:
                if self.in_a_hurry or time.monotonic() - began > child.patience:
                    killed.add(child.name)
                    child.tell(signal.SIGKILL)

    def _say_goodbye(self, child: Child, took: float, *, forced: bool) -> None:
        self._finish_log(child)
        verb = "was killed" if forced else "stopped"
        self.console.done(f"{child.name} {verb}", took)

    # -- logs -------------------------------------------------------------------------------------

    def _pass_on(self, child: Child) -> bool:
        lines = child.read()
        for line in lines or []:
            self.console.log(child.name, line)
            self._notice_a_full_disk(line)
        if lines is None:
            self._close_log(child)
        return lines is not None

    def _notice_a_full_disk(self, line: str) -> None:
        """Stop before every process fills the screen with its own words for it."""
        if DISK_FULL in line and not self.stopping and free_megabytes(self.data) < ALMOST_NOTHING:
            raise disk_full(self.data)

    def _finish_log(self, child: Child) -> None:
        """What is left in the pipe of a dead process; a heir of it may still hold the other end."""
        while child.output is not None and self._readable(child.output) and self._pass_on(child):
            pass
        self._close_log(child)

    def _readable(self, output: int) -> bool:
        return any(key.fd == output for key, _ in self.selector.select(0))

    def _close_log(self, child: Child) -> None:
        if child.output is not None:
            self.selector.unregister(child.output)
            os.close(child.output)
            child.output = None

    # -- failures ---------------------------------------------------------------------------------

    def _explain(self, words: str, child: Child) -> CannotRun:
        last = list(child.lines)
        if any(DISK_FULL in line for line in last):
            return disk_full(self.data)
        return CannotRun("\n".join([words, *(["Its last words:"] if last else []), *last]))

    def _job_failed(self, job: Child, said: list[str], log: Path) -> CannotRun:
        if any(DISK_FULL in line for line in said):
            return disk_full(self.data)
        words = (
            f"`manage.py {job.name}` failed: {job.lines[-1] if job.lines else 'it said nothing'}"
        )
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text("\n".join(said))
        except OSError:
            return CannotRun(words)
        return CannotRun(f"{words}\nAll that it said is in {log}.")

    # -- signals ----------------------------------------------------------------------------------

    def _listen_for_signals(self) -> None:
        """Signals only leave a note; the pipe wakes the loop."""
        self.wake, waker = socket.socketpair()
        self.wake.setblocking(False)
        waker.setblocking(False)
        self._waker = waker
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        self.selector.register(self.wake, selectors.EVENT_READ)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for polite in POLITE:
            if polite != signal.SIGHUP or signal.getsignal(polite) != signal.SIG_IGN:  # nohup
                signal.signal(polite, self._note)

    def _note(self, number: int, frame: FrameType | None) -> None:
        """Count it, unless it is the echo of the last one: `make` and `timeout` send both."""
        now = time.monotonic()
        if now - self.last_asked > ECHO:
            self.asked_to_stop += 1
        self.last_asked = now

    def _drain(self) -> None:
        try:
            while self.wake.recv(4096):
                pass
        except BlockingIOError:
            pass


def _starter(command: Sequence[str | Path], cwd: Path) -> Callable[[int], subprocess.Popen[bytes]]:
    return lambda output: process.start(
        command, last_words=signal.SIGKILL, stdout=output, stderr=subprocess.STDOUT, cwd=cwd
    )

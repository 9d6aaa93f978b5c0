"""Starts, watches, restarts and stops the processes of a run, in one thread.

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
from ticketing.development.embedded.errors import (
    DISK_FULL,
    CannotRun,
    StopRequested,
    disk_full,
    free_megabytes,
)
from ticketing.development.runner.child_process import MAX_EXITS, WINDOW, ChildProcess
from ticketing.development.runner.terminal import Terminal

STOP_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)
# `make` and `timeout` pass a signal on that the terminal has sent already.
DUPLICATE_SECONDS = 0.3
DISK_FULL_BELOW = 20  # megabytes


class Supervisor:
    """Starts, watches, restarts and stops children; their logs go to the terminal."""

    def __init__(self, *, terminal: Terminal, data: Path) -> None:
        self.terminal = terminal
        self.data = data
        self.children: list[ChildProcess] = []
        self.stop_signals = 0
        self.last_stop_signal = float("-inf")
        self.stopping = False
        self.selector = selectors.DefaultSelector()
        self._listen_for_signals()

    def add(self, child: ChildProcess) -> ChildProcess:
        self.children.append(child)
        self._launch(child)
        return child

    def run(self, command: Sequence[str | Path], *, cwd: Path, log: Path) -> None:
        """Run one job to its end; its output is shown only if it fails."""
        job = ChildProcess(name=log.stem, start=_starter(command, cwd))
        output = job.launch()
        output_lines: list[str] = []
        try:
            while (lines := job.read()) is not None:
                output_lines += lines
                self.turn(0 if lines else 0.02)
        finally:
            if job.is_alive and job.process:
                process.stop(job.process, timeout=3)
            os.close(output)
        if job.wait() != 0:
            raise self._job_failed(job, output_lines, log)

    def wait_for(self, child: ChildProcess, is_ready: Callable[[], bool], timeout: float) -> None:
        """Wait until the child is ready; its first start must succeed."""
        deadline = time.monotonic() + timeout
        while not is_ready():
            self.turn(0.03)
            if child.exits:
                raise self._failure(f"{child.name} does not start ({child.exit_reason()}).", child)
            if time.monotonic() > deadline:
                message = f"{child.name} was not ready within {timeout:.0f} seconds."
                raise self._failure(message, child)

    def watch(self) -> None:
        """Run until a stop signal arrives."""
        while True:
            self.turn(1)

    def turn(self, timeout: float) -> None:
        """One pass: forward logs, record exits, restart children that are due."""
        if self.stop_signals and not self.stopping:
            raise StopRequested
        due = [child.restart_at for child in self.children if child.restart_at is not None]
        soonest = min((at - time.monotonic() for at in due), default=timeout)
        for key, _ in self.selector.select(max(0, min(timeout, soonest))):
            if isinstance(key.data, ChildProcess):
                self._forward_log(key.data)
            else:
                self._drain()
        if not self.stopping:
            self._restart_exited()

    def stop(self, groups: Sequence[Sequence[ChildProcess]]) -> None:
        """Stop these groups one after the other; a second Ctrl-C kills everything."""
        self.stopping = True
        for group in groups:
            self._stop_group(group)

    # -- starting and restarting ------------------------------------------------------------------

    def _launch(self, child: ChildProcess) -> None:
        self.selector.register(child.launch(), selectors.EVENT_READ, child)

    def _restart_exited(self) -> None:
        for child in self.children:
            if child.restart_at is not None and child.restart_at <= time.monotonic():
                self._launch(child)
                self.terminal.write(f"  {child.name} restarted.")
            elif child.restart_at is None and not child.is_alive:
                self._record_exit(child)

    def _record_exit(self, child: ChildProcess) -> None:
        self._finish_log(child)
        delay = child.count_exit()
        if delay is None:
            message = f"{child.name} exited {MAX_EXITS} times within {WINDOW:.0f} seconds"
            raise self._failure(f"{message} ({child.exit_reason()}).", child)
        child.restart_at = time.monotonic() + delay
        self.terminal.write(
            f"  {child.name} exited ({child.exit_reason()}); restarting in {delay:.1f} s."
        )

    # -- stopping ---------------------------------------------------------------------------------

    @property
    def is_forced(self) -> bool:
        return self.stop_signals >= 2

    def _stop_group(self, group: Sequence[ChildProcess]) -> None:
        began = time.monotonic()
        waiting = [child for child in group if child.is_alive]
        for child in waiting:
            child.send_signal(signal.SIGKILL if self.is_forced else child.stop_signal)
        killed: set[str] = set()
        while waiting:
            self.turn(0.05)
            for child in [child for child in waiting if not child.is_alive]:
                waiting.remove(child)
                took = time.monotonic() - began
                self._finish_log(child)
                verb = "was killed" if child.name in killed else "stopped"
                self.terminal.done(f"{child.name} {verb}", took)
            for child in waiting:
                if self.is_forced or time.monotonic() - began > child.stop_timeout:
                    killed.add(child.name)
                    child.send_signal(signal.SIGKILL)

    # -- logs -------------------------------------------------------------------------------------

    def _forward_log(self, child: ChildProcess) -> bool:
        lines = child.read()
        for line in lines or []:
            self.terminal.log(child.name, line)
            self._check_disk(line)
        if lines is None:
            self._close_log(child)
        return lines is not None

    def _check_disk(self, line: str) -> None:
        """Stop the run at the first report of a full disk, before every process reports it."""
        if DISK_FULL in line and not self.stopping and free_megabytes(self.data) < DISK_FULL_BELOW:
            raise disk_full(self.data)

    def _finish_log(self, child: ChildProcess) -> None:
        """Forward what is left in the pipe; a grandchild may still hold its other end."""
        while (
            child.output is not None and self._readable(child.output) and self._forward_log(child)
        ):
            pass
        self._close_log(child)

    def _readable(self, output: int) -> bool:
        return any(key.fd == output for key, _ in self.selector.select(0))

    def _close_log(self, child: ChildProcess) -> None:
        if child.output is not None:
            self.selector.unregister(child.output)
            os.close(child.output)
            child.output = None

    # -- failures ---------------------------------------------------------------------------------

    def _failure(self, message: str, child: ChildProcess) -> CannotRun:
        last = list(child.lines)
        if any(DISK_FULL in line for line in last):
            return disk_full(self.data)
        return CannotRun("\n".join([message, *(["Its last log lines:"] if last else []), *last]))

    def _job_failed(self, job: ChildProcess, output_lines: list[str], log: Path) -> CannotRun:
        if any(DISK_FULL in line for line in output_lines):
            return disk_full(self.data)
        message = f"`manage.py {job.name}` failed: {job.lines[-1] if job.lines else 'no output'}"
        try:
            log.parent.mkdir(parents=True, exist_ok=True)
            log.write_text("\n".join(output_lines))
        except OSError:
            return CannotRun(message)
        return CannotRun(f"{message}\nIts output is in {log}.")

    # -- signals ----------------------------------------------------------------------------------

    def _listen_for_signals(self) -> None:
        """Signal handlers only count; the wakeup socket ends the selector's wait."""
        self.wake, waker = socket.socketpair()
        self.wake.setblocking(False)
        waker.setblocking(False)
        self._waker = waker
        signal.set_wakeup_fd(waker.fileno(), warn_on_full_buffer=False)
        self.selector.register(self.wake, selectors.EVENT_READ)
        signal.signal(signal.SIGCHLD, lambda *_: None)
        for number in STOP_SIGNALS:
            if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:  # nohup
                signal.signal(number, self._on_stop_signal)

    def _on_stop_signal(self, number: int, frame: FrameType | None) -> None:
        """Count it, unless it is a duplicate of the last one."""
        now = time.monotonic()
        if now - self.last_stop_signal > DUPLICATE_SECONDS:
            self.stop_signals += 1
        self.last_stop_signal = now

    def _drain(self) -> None:
        try:
            while self.wake.recv(4096):
                pass
        except BlockingIOError:
            pass


def _starter(command: Sequence[str | Path], cwd: Path) -> Callable[[int], subprocess.Popen[bytes]]:
    return lambda output: process.start(
        command,
        parent_death_signal=signal.SIGKILL,
        stdout=output,
        stderr=subprocess.STDOUT,
        cwd=cwd,
    )

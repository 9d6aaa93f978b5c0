"""One supervised process: its log, its exits and restarts."""

import os
import signal
import subprocess
import time
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field

LINE_LIMIT = 64 * 1024
MAX_EXITS = 5
WINDOW = 60.0

Start = Callable[[int], subprocess.Popen[bytes]]


@dataclass
class ChildProcess:
    """`start` gets the descriptor to write the log to; lines with `noise` are dropped."""

    name: str
    start: Start
    stop_signal: signal.Signals = signal.SIGTERM
    stop_timeout: float = 10
    noise: str = "\0"
    process: subprocess.Popen[bytes] | None = None
    output: int | None = None
    unfinished: bytes = b""
    lines: deque[str] = field(default_factory=lambda: deque(maxlen=15))
    exits: deque[float] = field(default_factory=lambda: deque(maxlen=MAX_EXITS))
    restart_at: float | None = None

    def launch(self) -> int:
        """Start it and return the descriptor to read its log from."""
        read, write = os.pipe()
        try:
            self.process = self.start(write)
        except BaseException:
            os.close(read)
            raise
        finally:
            os.close(write)
        os.set_blocking(read, False)
        self.output, self.restart_at = read, None
        return read

    @property
    def is_alive(self) -> bool:
        return self.process is not None and self.process.poll() is None

    def read(self) -> list[str] | None:
        """The complete lines so far; None at the end of the log."""
        if self.output is None:
            return None
        try:
            chunk = os.read(self.output, LINE_LIMIT)
        except BlockingIOError:
            return []
        *complete, self.unfinished = (self.unfinished + chunk).split(b"\n")
        if len(self.unfinished) > LINE_LIMIT or (not chunk and self.unfinished):
            complete, self.unfinished = [*complete, self.unfinished], b""
        lines = [line.decode(errors="replace").rstrip("\r") for line in complete]
        lines = [line for line in lines if line.strip() and self.noise not in line]
        self.lines.extend(lines)
        return lines if chunk or complete else None

    def count_exit(self) -> float | None:
        """Record an exit; returns the delay before the next start, or None after too many exits."""
        now = time.monotonic()
        self.exits.append(now)
        recent = sum(exit_time > now - WINDOW for exit_time in self.exits)
        return None if recent >= MAX_EXITS else 0.1 * 2**recent

    def exit_reason(self) -> str:
        code = self.process.returncode if self.process else None
        if code is None or code >= 0:
            return f"exit code {code}"
        return f"killed by {signal.Signals(-code).name}"

    def wait(self) -> int:
        return self.process.wait() if self.process else 0

    def send_signal(self, number: signal.Signals) -> None:
        if self.is_alive and self.process:
            self.process.send_signal(number)

"""Terminal output: progress, and the log of each process with its name."""

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import TextIO

NAME_WIDTH = 10
TITLE_WIDTH = 34
LONGEST_LINE = 1000
COLOURS = [36, 33, 32, 35, 34, 96, 93, 92]
RED, GREEN, BOLD, FAINT = 31, 32, 1, 2


class Terminal:
    """Writes whole lines, so that logs do not mix. A closed terminal is not an error."""

    def __init__(self, stream: TextIO) -> None:
        self.stream = stream
        self.has_colours = stream.isatty() and "NO_COLOR" not in os.environ
        self.names: list[str] = []
        self.pending = ""

    def write(self, text: str = "") -> None:
        with suppress(OSError, ValueError):
            self.stream.write(f"{self._clear()}{text}\n{self.pending}")
            self.stream.flush()

    def write_error(self, text: str) -> None:
        self.write(f"\n{self.paint('✗', RED)} " + text.replace("\n", "\n  "))

    def log(self, name: str, line: str) -> None:
        if name not in self.names:
            self.names.append(name)
        if len(line) > LONGEST_LINE:
            line = f"{line[:LONGEST_LINE]} …"
        colour = COLOURS[self.names.index(name) % len(COLOURS)]
        self.write(f"{self.paint(f'{name:<{NAME_WIDTH}} |', colour)} {line}")

    @contextmanager
    def step(self, title: str) -> Iterator[None]:
        """Show a running step, and afterwards how long it took."""
        began = time.monotonic()
        self._show(f"  … {title}")
        try:
            yield
        except BaseException:
            self._show("")
            self.done(title, time.monotonic() - began, mark=self.paint("✗", RED))
            raise
        self._show("")
        self.done(title, time.monotonic() - began)

    def done(self, title: str, took: float, *, mark: str = "") -> None:
        mark = mark or self.paint("✓", GREEN)
        self.write(f"  {mark} {title:<{TITLE_WIDTH}} {self.paint(f'{took:5.1f} s', FAINT)}")

    def paint(self, text: str, colour: int) -> str:
        return f"\033[{colour}m{text}\033[0m" if self.has_colours else text

    def _show(self, pending: str) -> None:
        """Rewrite the unfinished line at the bottom; only on a real terminal."""
        if not self.has_colours:
            return
        with suppress(OSError, ValueError):
            self.stream.write(f"{self._clear()}{pending}")
            self.stream.flush()
        self.pending = pending

    def _clear(self) -> str:
        return "\r\033[K" if self.pending else ""

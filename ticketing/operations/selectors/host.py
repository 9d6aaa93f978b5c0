"""Limits of this machine that are too low for a crowd."""

import resource
import socket
from collections.abc import Iterator
from contextlib import suppress
from datetime import datetime

from ticketing.console.selectors import processes
from ticketing.core import listen_queue
from ticketing.operations.selectors.finding import Finding

FILES = resource.RLIMIT_NOFILE
ENOUGH_FILES = 20_000  # a server process needs one for each open page


def listen_queue_length(now: datetime) -> Iterator[Finding]:
    allowed = listen_queue.longest_allowed()
    if allowed is not None and allowed < listen_queue.ENOUGH:
        yield Finding(
            f"net.core.somaxconn is {allowed}: connections beyond that are dropped when a sale "
            "opens.",
            "Copy deploy/sysctl/60-ticketing.conf to /etc/sysctl.d/ and run: sysctl --system",
        )


def open_files(now: datetime) -> Iterator[Finding]:
    """Check the limit of this machine's web processes; without any, of this process."""
    allowed = min(_limits_of_web(now), default=resource.getrlimit(FILES)[0])
    if allowed != resource.RLIM_INFINITY and allowed < ENOUGH_FILES:
        yield Finding(
            f"A process may open {allowed} files, and each open page needs one.",
            f"Raise the limit (ulimit -n, LimitNOFILE=) to {ENOUGH_FILES} or more.",
        )


def _limits_of_web(now: datetime) -> Iterator[int]:
    for process in processes(now):
        if (process.kind, process.host) == ("web", socket.gethostname()):
            with suppress(OSError):  # it has ended, or is another user's
                yield resource.prlimit(process.pid, FILES)[0]

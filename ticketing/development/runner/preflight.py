"""Checks before anything is started: disk space and port."""

import errno
import socket
from pathlib import Path

from ticketing.development.embedded.errors import CannotRun, free_megabytes

FIRST_RUN, LATER_RUN = 600, 150  # megabytes
LISTEN_QUEUE = 65_535  # the kernel shortens it to what it allows


def require_space(folder: Path, *, needed: int) -> None:
    free = free_megabytes(folder)
    if free < needed:
        raise CannotRun(
            f"{folder} has {free} MB of free space, {needed} MB are needed.\n"
            f"Free {needed - free} MB, or choose a folder on another disk: VAR_DIR=…"
        )


def open_port(host: str, port: int) -> socket.socket:
    """A listening socket, owned by the runner so that a dying server process does not lose it."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        listener = socket.socket(family, socket.SOCK_STREAM)
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
        listener.listen(LISTEN_QUEUE)
    except OSError as problem:
        raise CannotRun(_port_error(problem, host, port)) from None
    return listener


def _port_error(problem: OSError, host: str, port: int) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is in use by another program.\n"
            f"Stop that program, or choose another port: make run PORT={port + 1}"
        )
    return (
        f"Port {port} on {host} can't be opened: {problem.strerror}.\nChoose others: HOST=… PORT=…"
    )

"""What must be so before anything is started."""

import errno
import socket
from pathlib import Path

from ticketing.development.embedded.errors import CannotRun, free_megabytes

FIRST_RUN, LATER_RUN = 600, 150  # megabytes


def require_space(folder: Path, *, needed: int) -> None:
    free = free_megabytes(folder)
    if free < needed:
        raise CannotRun(
            f"{folder} has {free} MB of free space, {needed} MB are needed.\n"
            f"Free {needed - free} MB, or choose a folder on another disk: VAR_DIR=…"
        )


def listen(host: str, port: int) -> socket.socket:
    """The port, opened once by us: a server process that dies does not lose it."""
    try:
        family, *_, address = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM)[0]
        door = socket.socket(family, socket.SOCK_STREAM)
        door.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        door.bind(address)
        door.listen(2048)
    except OSError as problem:
        raise CannotRun(_no_door(problem, host, port)) from None
    return door


def _no_door(problem: OSError, host: str, port: int) -> str:
    if problem.errno == errno.EADDRINUSE:
        return (
            f"Port {port} on {host} is in use by another program.\n"
            f"Stop that program, or choose another port: make run PORT={port + 1}"
        )
    return (
        f"Port {port} on {host} can't be opened: {problem.strerror}.\nChoose others: HOST=… PORT=…"
    )

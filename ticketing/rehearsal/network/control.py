"""The network of a throw-away site: a proxy between its processes and the servers they use."""

import json
import socket
import subprocess
import sys
from collections.abc import Collection, Mapping, Sequence
from dataclasses import astuple

from ticketing.development.embedded import process
from ticketing.rehearsal.network import proxy

ANSWER_SECONDS = 30.0


class Network:
    """A proxy as a process of its own. It ends with this one."""

    def __init__(self, servers: Mapping[str, str]) -> None:
        """`servers` are addresses, host:port or the path of a Unix socket, by the link's name."""
        ours, theirs = socket.socketpair()
        command = [sys.executable, proxy.__file__, str(theirs.fileno()), json.dumps(dict(servers))]
        self._process = process.start(
            command, pass_fds=[theirs.fileno()], stdout=subprocess.DEVNULL
        )
        theirs.close()
        ours.settimeout(ANSWER_SECONDS)
        self._control, self._answers = ours, ours.makefile("rb")
        self.ports: dict[str, int] = json.loads(self._answers.readline())

    @property
    def pid(self) -> int:
        return self._process.pid

    def disturb(
        self,
        links: Collection[str],
        kind: str,
        *,
        amount: float = 0.0,
        directions: Collection[str] = (proxy.UP, proxy.DOWN),
    ) -> None:
        """See `proxy.Disturbance`; until `restore`."""
        self._order(links, astuple(proxy.Disturbance(kind, amount, tuple(directions))))

    def restore(self) -> None:
        self._order(self.ports, None)

    def stop(self) -> None:
        self._answers.close()
        self._control.close()
        process.stop(self._process)

    def _order(self, links: Collection[str], disturbance: Sequence[object] | None) -> None:
        """Send an order and wait until it is carried out."""
        order = {"links": [*links], "disturbance": disturbance}
        self._control.sendall(json.dumps(order).encode() + b"\n")
        self._answers.readline()

"""Asking the site whether it is alive, without waiting for the answer."""

import select
import socket

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class Knock:
    """One request that stays open while the server starts; call it again until it says True."""

    def __init__(self, host: str, port: int) -> None:
        self.address = (host, port)
        self.line: socket.socket | None = None

    def __call__(self) -> bool:
        try:
            return self._ask()
        except OSError:
            self.line = None
            return False

    def _ask(self) -> bool:
        if self.line is None:
            self.line = socket.create_connection(self.address, timeout=1)
            self.line.sendall(REQUEST)
        if not select.select([self.line], [], [], 0)[0]:
            return False
        with self.line as line:
            self.line = None  # whoever took the request may have died over it: then ask again
            return line.recv(64).startswith(b"HTTP/1.1 200")

"""Polls /healthz without blocking."""

import select
import socket

REQUEST = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n"


class HealthCheck:
    """One request that stays open while the server starts; call it until it returns True."""

    def __init__(self, host: str, port: int) -> None:
        self.address = (host, port)
        self.connection: socket.socket | None = None

    def __call__(self) -> bool:
        try:
            return self._poll()
        except OSError:
            self.connection = None
            return False

    def _poll(self) -> bool:
        if self.connection is None:
            self.connection = socket.create_connection(self.address, timeout=1)
            self.connection.sendall(REQUEST)
        if not select.select([self.connection], [], [], 0)[0]:
            return False
        with self.connection as connection:
            self.connection = None  # the process may have died while answering: then send it again
            return connection.recv(64).startswith(b"HTTP/1.1 200")

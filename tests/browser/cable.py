"""A way to a server that can be cut, also for what browsers do behind the page."""

import socket
import threading
from contextlib import suppress


class Cable:
    def __init__(self, port: int) -> None:
        self.port, self.is_cut, self.is_losing_answers = port, False, False
        self._ends: list[socket.socket] = []
        self._listening = socket.create_server(("127.0.0.1", 0))
        threading.Thread(target=self._accept, daemon=True).start()

    @property
    def address(self) -> str:
        return f"http://localhost:{self._listening.getsockname()[1]}"

    def cut(self) -> None:
        self.is_cut = True
        for end in self._ends:
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

    def lose_answers(self) -> None:
        """The server still gets every request; its answers don't arrive."""
        self.is_losing_answers = True

    def mend(self) -> None:
        self.is_cut = self.is_losing_answers = False

    def close(self) -> None:
        self.cut()
        self._listening.close()

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                near, _ = self._listening.accept()
                if self.is_cut:
                    near.close()
                    continue
                far = socket.create_connection(("127.0.0.1", self.port))
                self._ends += [near, far]
                for ends in ((near, far, False), (far, near, True)):
                    threading.Thread(target=self._pass_on, args=ends, daemon=True).start()

    def _pass_on(self, source: socket.socket, target: socket.socket, is_from_server: bool) -> None:
        with suppress(OSError):
            while some := source.recv(65_536):
                if is_from_server and self.is_losing_answers:
                    break
                target.sendall(some)
        for end in (source, target):
            with suppress(OSError):
                end.shutdown(socket.SHUT_RDWR)

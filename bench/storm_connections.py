"""The two kinds of connections of a waiting page: for requests, and for the socket."""

import json
import re
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from bench.client_loop import ClientLoop, Connection
from bench.socket_clients import PONG

LENGTH = re.compile(rb"(?i)\r\ncontent-length: *(\d+)")
STATE = re.compile(rb'"state":"(\w+)"')
TEXT, PING = 0x81, 0x89
ENDED = frozenset({b"READY", b"ADMITTED", b"EXPIRED", b"CLOSED"})


@dataclass(frozen=True, slots=True)
class Answer:
    status: int
    head: bytes
    raw: bytes
    at: float  # when it arrived

    @property
    def body(self) -> dict[str, Any]:
        found = json.loads(self.raw) if b"application/json" in self.head else {}
        return found if isinstance(found, dict) else {}


class HttpConnection(Connection):
    """Kept open for the next request, as browsers do; one request at a time."""

    data = b""

    def ask(self, request: bytes) -> "HttpConnection":
        """To be yielded: the answer comes back."""
        self.data = b""
        self.send(request)
        return self

    def received(self, data: bytes, at: float) -> None:
        self.data += data
        head, found, raw = self.data.partition(b"\r\n\r\n")
        length = LENGTH.search(head)
        if found and length and len(raw) >= int(length[1]):
            self.done(Answer(int(head[9:12]), head, raw, at))


class SocketConnection(Connection):
    """Reads frames. Resumes its visit with the first one, and with one that ends the waiting."""

    rest, is_open, is_first = b"", False, True

    def __init__(
        self, loop: ClientLoop, port: int, source: str, told: Callable[[bytes], None]
    ) -> None:
        super().__init__(loop, port, source)
        self.told = told
        self.ended = b""  # the state with which waiting ended

    def received(self, data: bytes, at: float) -> None:
        data = self.rest + data
        if not self.is_open:
            head, found, data = data.partition(b"\r\n\r\n")
            if not found:
                self.rest = head
                return
            if not head.startswith(b"HTTP/1.1 101"):
                self.lost(ConnectionRefusedError(head[:40].decode("latin-1")))
                return
            self.is_open = True
        begins, size = 0, len(data)
        while size - begins >= 4:
            length, start = data[begins + 1], begins + 2
            if length == 126:
                length, start = int.from_bytes(data[begins + 2 : begins + 4], "big"), begins + 4
            if size < start + length:
                break
            self._frame(data[begins], data[start : start + length], at)
            begins = start + length
        self.rest = data[begins:]

    def _frame(self, first: int, payload: bytes, at: float) -> None:
        if first == PING:
            self.send(PONG[:1] + bytes([0x80 | len(payload)]) + bytes(4) + payload)
        elif first == TEXT and (state := STATE.search(payload)):
            self.told(payload)
            if state[1] in ENDED:
                self.ended = state[1]
            if self.is_first or self.ended:
                self.is_first = False
                self.done(at)

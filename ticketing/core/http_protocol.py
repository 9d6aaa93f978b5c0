"""HTTP connections with bounds: requests are small and come in time, responses are read in time.

Uvicorn waits for ever for the first byte of a connection, for the end of a request and for a client
that reads nothing, and takes a head of any size. Here a client that does so loses its connection
after some seconds. For a whole request in one piece all of this is a few comparisons.
"""

import asyncio
from http import HTTPStatus
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from ticketing.core.fast_path.bodies import largest_body
from ticketing.core.http_responses import ResponseWriter

LARGEST_HEAD, MOST_HEADERS = 16 * 1024, 100
# A request ends within this time, or brings so many bytes more in each such time.
REQUEST_SECONDS, LEAST_BYTES = 10.0, 128 * 1024
# For a client to take what was sent to it, and for the rest of it after we have closed.
READ_SECONDS = 30.0
REFUSED = b"HTTP/1.1 %d %b\r\nconnection: close\r\ncontent-length: 0\r\n\r\n"


class OutOfBounds(Exception):
    """Raised in a callback of the parser; the connection is answered and closed."""


class BoundedHttp(HttpToolsProtocol):
    """One connection. `_received` counts the bytes of the request that has not ended yet."""

    _refusal = HTTPStatus.BAD_REQUEST
    _received = _in_time = _chunk = 0
    _has_begun = _has_ended = False
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None

    def connection_made(self, transport: Any) -> None:
        super().connection_made(transport)
        self._set_deadline()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._deadline, self._stalled):
            if timer is not None:
                timer.cancel()
        super().connection_lost(exc)

    # -- what is received -------------------------------------------------------------------------

    def data_received(self, data: bytes) -> None:
        self._chunk, self._has_ended = len(data), False
        self._received += self._chunk
        super().data_received(data)
        if self._has_ended or self.transport.is_closing():
            return
        self._in_time += self._chunk
        if self._received > self._most_bytes() or len(self.headers or ()) > MOST_HEADERS:
            self._refuse(self._reason())
        elif self._deadline is None:
            self._set_deadline()

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._received, self._has_begun, self._has_ended = self._chunk, True, False

    def on_headers_complete(self) -> None:
        if len(self.headers) > MOST_HEADERS or self._head_is_large():
            self._refusal = HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
            raise OutOfBounds()
        self._has_begun = False
        super().on_headers_complete()

    def on_message_complete(self) -> None:
        super().on_message_complete()
        self._has_ended, self._received, self._in_time = True, 0, 0
        if self._deadline is not None:
            self._deadline.cancel()
            self._deadline = None

    def handle_websocket_upgrade(self) -> None:
        self._has_ended = True
        if self._deadline is not None:
            self._deadline.cancel()
        super().handle_websocket_upgrade()

    def _head_is_large(self) -> bool:
        """Added up only if the piece that it came in is large."""
        if self._received <= LARGEST_HEAD:
            return False
        sizes = (len(name) + len(value) + 4 for name, value in self.headers)
        return len(self.url) + sum(sizes) > LARGEST_HEAD

    def _most_bytes(self) -> int:
        """The limit of a request as sent: chunks have sizes and may be followed by more headers."""
        if self._has_begun or self.cycle is None:
            return LARGEST_HEAD
        return LARGEST_HEAD + 2 * largest_body(self.cycle.scope["path"])

    def _reason(self) -> HTTPStatus:
        is_body = not self._has_begun and len(self.headers or ()) <= MOST_HEADERS
        return (
            HTTPStatus.REQUEST_ENTITY_TOO_LARGE
            if is_body and self.cycle is not None
            else HTTPStatus.REQUEST_HEADER_FIELDS_TOO_LARGE
        )

    def send_400_response(self, msg: str) -> None:
        self._refuse(self._refusal)

    def _refuse(self, status: HTTPStatus) -> None:
        """An answer that has begun is cut off; one that is complete needs no other."""
        cycle = self.cycle
        if self._received and (self._has_begun or cycle is None or not cycle.response_started):
            self.transport.write(REFUSED % (status, status.phrase.encode()))
        self.transport.close()
        self._abort_later()

    # -- in time ----------------------------------------------------------------------------------

    def _set_deadline(self) -> None:
        self._in_time = 0
        self._deadline = self.loop.call_later(REQUEST_SECONDS, self._check_progress)

    def _check_progress(self) -> None:
        self._deadline = None
        if self.transport.is_closing():
            return
        if self._waits_for_us() or self._in_time >= LEAST_BYTES:
            self._set_deadline()
        else:
            self._refuse(HTTPStatus.REQUEST_TIMEOUT)

    def _waits_for_us(self) -> bool:
        """Whether nothing is read, or the request before this one is still being answered."""
        cycle = self.cycle
        is_answering = cycle is not None and not (cycle.more_body or cycle.response_complete)
        return self.flow.read_paused or is_answering

    # -- what is sent -----------------------------------------------------------------------------

    def _start_asgi_task(self, cycle: Any, app: Any) -> None:
        super()._start_asgi_task(
            cycle, lambda scope, receive, send: app(scope, receive, ResponseWriter(cycle))
        )

    def pause_writing(self) -> None:
        super().pause_writing()
        self._abort_later()

    def resume_writing(self) -> None:
        super().resume_writing()
        if self._stalled is not None and not self.transport.is_closing():
            self._stalled.cancel()
            self._stalled = None

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self.transport.is_closing():
            self._abort_later()

    def timeout_keep_alive_handler(self) -> None:
        super().timeout_keep_alive_handler()
        self._abort_later()

    def _abort_later(self) -> None:
        """A transport that closes waits until all is read."""
        if self._stalled is None:
            self._stalled = self.loop.call_later(READ_SECONDS, self.transport.abort)

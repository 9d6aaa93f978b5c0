"""Django's pages as WSGI in threads. No thread waits for a client: a request is read before it gets
one, and what does not fit the connection's buffer is produced later, when the client has read more.
"""

import asyncio
import sys
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import copy_context
from io import BytesIO
from typing import Any

from ticketing.core import clock
from ticketing.core.errors import Overloaded, TooLarge
from ticketing.core.fast_path.bodies import LARGEST_FORM, Receive, largest_body
from ticketing.core.fast_path.requests import Scope
from ticketing.core.fast_path.responses import Header, Send
from ticketing.core.metrics.requests import DJANGO, UNKNOWN, requests
from ticketing.core.overload import Overload, overload

# Bodies above LARGEST_FORM that a process reads or works on at a time.
MOST_UPLOADS = 4
# Bytes of a response that a thread produces at a time: all of nearly every page.
BATCH = 256 * 1024
REFUSAL = "ticketing.refusal"  # in scope and environ: Django answers with this error
ROUTE = "ticketing.route"  # in environ, by Django: which of its routes answered

Wsgi = Callable[[dict[str, Any], Callable[..., Any]], Iterable[bytes]]


class BodyReader:
    """In front of everything that takes a thread: reads the whole body, within its bound."""

    def __init__(self, application: Any) -> None:
        self.application = application
        self._uploads: set[int] = set()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        message = await receive()
        try:
            if message.get("more_body") or len(message.get("body", b"")) > LARGEST_FORM:
                message = await self._read(scope, message, receive)
        except (TooLarge, Overloaded) as error:
            scope, message = scope | {REFUSAL: error}, {"type": "http.request"}

        async def receive_whole() -> dict[str, Any]:
            return message

        try:
            if message["type"] == "http.request":
                await self.application(scope, receive_whole, send)
        finally:
            self._uploads.discard(id(receive))

    async def _read(self, scope: Scope, message: Any, receive: Receive) -> dict[str, Any]:
        """A body above LARGEST_FORM needs one of a few places until it is answered."""
        largest, pieces, size = largest_body(scope["path"]), [message["body"]], 0
        while True:
            size += len(pieces[-1])
            if size > largest:
                raise TooLarge()
            if size > LARGEST_FORM and id(receive) not in self._uploads:
                if len(self._uploads) >= MOST_UPLOADS:
                    raise Overloaded()
                self._uploads.add(id(receive))
            if not message.get("more_body"):
                return {**message, "body": b"".join(pieces)}
            message = await receive()
            pieces.append(message.get("body", b""))


class PageThreads:
    """Django's WSGI handler. Pages that are read slowly do not count as waiting for a thread."""

    def __init__(self, wsgi: Wsgi, *, workers: int, state: Overload = overload) -> None:
        self.wsgi, self.state = wsgi, state
        self._threads = ThreadPoolExecutor(workers, thread_name_prefix="page")

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        began, body = clock.monotonic(), (await receive()).get("body", b"")
        environ, context = environ_of(scope, body), copy_context()
        response = WsgiResponse(self.wsgi, environ)
        batch, is_last = await self._in_thread(context.run, response.begin)
        stats = requests.of(DJANGO, scope["method"], environ.get(ROUTE, UNKNOWN))
        stats.note_answer(response.start["status"], clock.monotonic() - began)
        try:
            await send(response.start)
            while not is_last:
                await send({"type": "http.response.body", "body": batch, "more_body": True})
                batch, is_last = await self._in_thread(context.run, response.next_batch)
            await send({"type": "http.response.body", "body": batch})
        finally:
            if not is_last:
                self._threads.submit(context.run, response.close)

    async def _in_thread(self, *work: Any) -> tuple[bytes, bool]:
        self.state.page_began()
        try:
            return await asyncio.get_running_loop().run_in_executor(self._threads, *work)
        finally:
            self.state.page_ended()


class WsgiResponse:
    """A request that Django answers: in one step, or in several if the answer is long."""

    start: dict[str, Any]
    _content: Iterable[bytes] = ()
    _chunks: Iterator[bytes]

    def __init__(self, wsgi: Wsgi, environ: dict[str, Any]) -> None:
        self._wsgi, self._environ = wsgi, environ

    def begin(self) -> tuple[bytes, bool]:
        self._content = self._wsgi(self._environ, self._start_response)
        self._chunks = iter(self._content)
        return self.next_batch()

    def next_batch(self) -> tuple[bytes, bool]:
        """Bytes to send, and whether they are the last."""
        pieces, size = [], 0
        try:
            for chunk in self._chunks:
                pieces.append(chunk)
                size += len(chunk)
                if size >= BATCH:
                    return b"".join(pieces), False
        except BaseException:
            self.close()
            raise
        self.close()
        return b"".join(pieces), True

    def close(self) -> None:
        if close := getattr(self._content, "close", None):
            close()

    def _start_response(
        self, status: str, headers: list[tuple[str, str]], exc_info: Any = None
    ) -> None:
        raw: list[Header] = [
            (name.strip().lower().encode("latin-1"), value.strip().encode("latin-1"))
            for name, value in headers
        ]
        if REFUSAL in self._environ:
            raw.append((b"connection", b"close"))  # the rest of the body is not read
        self.start = {"type": "http.response.start", "status": int(status[:3]), "headers": raw}


def environ_of(scope: Scope, body: bytes) -> dict[str, Any]:
    """As PEP 3333 describes it. `a_b` is no other name for `a-b`: such headers are left out."""
    server, client = scope.get("server") or ("localhost", 80), scope.get("client")
    environ: dict[str, Any] = {
        "REQUEST_METHOD": scope["method"],
        "SCRIPT_NAME": "",
        "PATH_INFO": scope["path"].encode().decode("latin-1"),
        "QUERY_STRING": scope["query_string"].decode("latin-1"),
        "SERVER_PROTOCOL": f"HTTP/{scope['http_version']}",
        "SERVER_NAME": server[0],
        "SERVER_PORT": str(server[1] or 0),
        "wsgi.version": (1, 0),
        "wsgi.url_scheme": scope.get("scheme", "http"),
        "wsgi.input": BytesIO(body),
        "wsgi.errors": sys.stderr,
        "wsgi.multithread": True,
        "wsgi.multiprocess": True,
        "wsgi.run_once": False,
    }
    if client:
        environ["REMOTE_ADDR"], environ["REMOTE_PORT"] = client[0], str(client[1])
    for name, value in scope["headers"]:
        if b"_" in name:
            continue
        key = name.decode("latin-1").upper().replace("-", "_")
        key = key if key in ("CONTENT_LENGTH", "CONTENT_TYPE") else f"HTTP_{key}"
        text = value.decode("latin-1")
        environ[key] = f"{environ[key]},{text}" if key in environ else text
    if "HTTP_TRANSFER_ENCODING" in environ or REFUSAL in scope:
        environ["CONTENT_LENGTH"] = str(len(body))
    if REFUSAL in scope:
        environ[REFUSAL] = scope[REFUSAL]
    return environ

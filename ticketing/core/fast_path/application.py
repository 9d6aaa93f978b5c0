"""The ASGI application in front of Django."""

import re
from collections.abc import Awaitable, Callable, Mapping, Sequence
from functools import partial
from re import Pattern
from typing import Any, NamedTuple

from ticketing.core import clock
from ticketing.core.fast_path.bodies import Receive, buffer_body, discard_body
from ticketing.core.fast_path.requests import ApiRequest, Scope, from_scope
from ticketing.core.fast_path.responses import (
    ApiResponse,
    PageResponse,
    Response,
    Send,
    StreamResponse,
    error_response,
    send_response,
    send_stream,
)
from ticketing.core.metrics.requests import FAST, RequestStats, requests

Handler = Callable[[ApiRequest], Awaitable[Response]]
Convert = Callable[[str], Any]
CountStream = Callable[[Scope, StreamResponse], StreamResponse]

# As in Django's URLs; longer numbers than an id can have are left to Django.
CONVERTERS: dict[str, tuple[str, Convert]] = {
    "int": ("[0-9]{1,18}", int),
    "slug": ("[-a-zA-Z0-9_]+", str),
}
READS = "(?:GET|HEAD)"
PATH_PARAM = re.compile(r"<(\w+):(\w+)>")


class FallThrough(Exception):
    """Raised by a handler for a request that Django has to answer."""


class Route(NamedTuple):
    """Which requests a handler answers: `METHOD /path` must match the pattern."""

    pattern: Pattern[str]
    converters: Mapping[str, Convert]
    handler: Handler
    reads_body: bool
    leaves_body: bool
    stats: RequestStats


def route(
    method: str,
    path: str,
    handler: Handler,
    *,
    reads_body: bool = False,
    leaves_body: bool = False,
) -> Route:
    """`path` is written as in a URLconf, from the root of the site: `events/<int:event_id>/`.

    `method` is a pattern. A handler that leaves the body lets a request that has one fall through.
    """
    converters = {name: CONVERTERS[kind][1] for kind, name in PATH_PARAM.findall(path)}
    regex = PATH_PARAM.sub(lambda match: f"(?P<{match[2]}>{CONVERTERS[match[1]][0]})", path)
    pattern = re.compile(f"{method} /{regex}")
    stats = requests.of(FAST, "GET" if method == READS else method, f"/{path}")
    return Route(pattern, converters, handler, reads_body, leaves_body, stats)


def uncounted(scope: Scope, stream: StreamResponse) -> StreamResponse:
    return stream


class FastPath:
    """Answers what its routes take in the event loop; everything else goes on to `fallback`."""

    def __init__(
        self, routes: Sequence[Route], fallback: Any, *, count_stream: CountStream = uncounted
    ) -> None:
        self.routes, self.fallback, self.count_stream = routes, fallback, count_stream

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        found, request = self._resolve(scope)
        if found and request:
            began = clock.monotonic()
            response: Response | None = None
            try:
                if found.reads_body:
                    request.body, receive = await buffer_body(request.headers, receive)
                elif not found.leaves_body:
                    await discard_body(request.headers, receive)
                response = answer = await found.handler(request)
                if not isinstance(answer, ApiResponse | PageResponse):
                    response = self.count_stream(
                        scope, partial(send_stream, request.scheme, answer)
                    )
            except FallThrough:
                response = None
            except Exception as exception:
                response = error_response(request, exception)
            if response is not None:
                status = 200 if callable(response) else response.status
                found.stats.note_answer(status, clock.monotonic() - began)
                await send_response(request, response, receive, send)
                return
        await self.fallback(scope, receive, send)

    def _resolve(self, scope: Scope) -> tuple[Route | None, ApiRequest | None]:
        wanted = f"{scope['method']} {scope['path']}"
        for route in self.routes:
            if match := route.pattern.fullmatch(wanted):
                texts = match.groupdict()
                params = {name: convert(texts[name]) for name, convert in route.converters.items()}
                return route, from_scope(scope, params)
        return None, None

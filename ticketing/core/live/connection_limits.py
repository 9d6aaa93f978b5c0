"""How many sockets and streams one address and one session may have open in this process."""

import re
from collections import Counter
from functools import lru_cache
from typing import Any

from django.conf import settings

from ticketing.core.errors import TooManyConnections
from ticketing.core.fast_path.bodies import Receive
from ticketing.core.fast_path.responses import Send, StreamResponse
from ticketing.core.live.sockets import PushSocket
from ticketing.core.throttle import address_range, is_own_proxy


class ConnectionLimits:
    """Counts the open ones by address and by session; one object per process."""

    def __init__(self) -> None:
        self._open: Counter[tuple[str, str]] = Counter()

    def take(self, scope: Any) -> list[tuple[str, str]]:
        """Count a connection, until `release`; raises `TooManyConnections`."""
        keys = []
        for kind, name, most in _limits(scope):
            if name and most:
                if self._open[kind, name] >= most:
                    raise TooManyConnections()
                keys.append((kind, name))
        self._open.update(keys)
        return keys

    def release(self, keys: list[tuple[str, str]]) -> None:
        for key in keys:
            self._open[key] -= 1
            if not self._open[key]:
                del self._open[key]

    def counted(self, scope: Any, stream: StreamResponse) -> StreamResponse:
        """The stream, with its place from now on."""
        keys = self.take(scope)

        async def run(receive: Receive, send: Send) -> None:
            try:
                await stream(receive, send)
            finally:
                self.release(keys)

        return run


connection_limits = ConnectionLimits()


class SocketLimits:
    """Refuses sockets too many, with an error frame like every other refusal."""

    def __init__(self, application: Any, limits: ConnectionLimits = connection_limits) -> None:
        self.application, self.limits = application, limits

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        try:
            keys = self.limits.take(scope)
        except TooManyConnections:
            await RefusedSocket(scope, receive, send).run()
            return
        try:
            await self.application(scope, receive, send)
        finally:
            self.limits.release(keys)


class RefusedSocket(PushSocket):
    async def connect(self) -> None:
        raise TooManyConnections()


def _limits(scope: Any) -> list[tuple[str, str, int]]:
    client = scope.get("client")
    address = client[0] if client else ""
    return [
        (
            "address",
            "" if is_own_proxy(address) else address_range(address),
            settings.SOCKETS_PER_ADDRESS,
        ),
        ("session", _session_of(scope), settings.SOCKETS_PER_SESSION),
    ]


def _session_of(scope: Any) -> str:
    pattern = _session_cookie(settings.SESSION_COOKIE_NAME)
    for name, value in scope["headers"]:
        if name == b"cookie" and (found := pattern.search(value)):
            return found[1].decode("latin-1")
    return ""


@lru_cache
def _session_cookie(name: str) -> re.Pattern[bytes]:
    return re.compile(rb"(?:^|; ?)%b=([^;]+)" % re.escape(name.encode()))

"""Only our own pages may open a websocket: browsers send cookies with those of other sites, too.

All sockets ask for the same: the origin of the address that they are on, or a trusted one.
"""

from functools import lru_cache
from typing import Any

from django.conf import settings

from ticketing.core.errors import ForeignOrigin
from ticketing.core.fast_path.requests import is_own_host
from ticketing.core.logs.context import enter_request
from ticketing.core.origins import require_own_origin

SCHEMES = {"ws": "http", "wss": "https"}


class OriginCheck:
    """Its answer for an origin is kept, as nearly all sockets have the same."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        enter_request(scope)
        found = {b"origin": [], b"host": []}  # type: dict[bytes, list[bytes]]
        for name, value in scope["headers"]:
            if name in found:
                found[name].append(value)
        sent = (scope["scheme"], tuple(found[b"host"]), tuple(found[b"origin"]))
        rules = tuple(settings.ALLOWED_HOSTS), tuple(settings.CSRF_TRUSTED_ORIGINS)
        if _is_allowed(*sent, *rules):
            await self.application(scope, receive, send)
        else:
            await receive()  # websocket.connect
            await send({"type": "websocket.close"})


@lru_cache(maxsize=256)
def _is_allowed(scheme: str, hosts: Any, origins: Any, own_hosts: Any, trusted: Any) -> bool:
    """Exactly one of each; `trusted` is only a part of what the answer is kept for."""
    if len(hosts) != 1 or len(origins) != 1:
        return False
    host = hosts[0].decode("latin-1")
    try:
        origin = {"origin": origins[0].decode("latin-1")}
        require_own_origin(origin, own=f"{SCHEMES.get(scheme, scheme)}://{host}")
    except ForeignOrigin:
        return False
    return is_own_host(host, own_hosts)

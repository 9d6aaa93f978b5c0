"""Only our own pages may open a websocket: browsers send cookies with those of other sites, too."""

from functools import lru_cache
from typing import Any
from urllib.parse import urlparse

from channels.security.websocket import OriginValidator


class OriginCheck(OriginValidator):
    """Channels' check; its answer for an origin is kept, as nearly all sockets have the same."""

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        origins = [value for name, value in scope["headers"] if name == b"origin"]
        if len(origins) == 1 and _is_allowed(origins[0], tuple(self.allowed_origins)):
            await self.application(scope, receive, send)
        else:
            await super().__call__(scope, receive, send)


@lru_cache(maxsize=256)
def _is_allowed(origin: bytes, allowed: tuple[str, ...]) -> bool:
    try:
        parsed = urlparse(origin.decode("latin-1"))
        return bool(OriginValidator(None, allowed).valid_origin(parsed))
    except ValueError:
        return False

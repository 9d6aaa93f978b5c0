"""The access log, around the whole application while ACCESS_LOG is on."""

import logging
from typing import Any

from django.conf import settings

from ticketing.core import clock
from ticketing.core.logs.redaction import redact

log = logging.getLogger("ticketing.access")


def is_on() -> bool:
    """Whether its lines are written; removing secrets from one takes 20 µs."""
    return settings.ACCESS_LOG and log.isEnabledFor(logging.INFO)


class AccessLog:
    """A line for each answer: without the query and the client's address, which are personal."""

    def __init__(self, application: Any) -> None:
        self.application = application

    async def __call__(self, scope: Any, receive: Any, send: Any) -> None:
        if scope["type"] != "http":
            await self.application(scope, receive, send)
            return
        began, status = clock.monotonic(), 0

        async def noting_send(message: Any) -> None:
            nonlocal status
            status = message.get("status", status)
            await send(message)

        try:
            await self.application(scope, receive, noting_send)
        finally:
            ms, path = round(1000 * (clock.monotonic() - began), 1), redact(scope["path"])
            fields = {"method": scope["method"], "path": path, "status": status, "ms": ms}
            text = "%(method)s %(path)s %(status)s %(ms)s ms"
            log.info(text, fields, extra={"fields": fields})

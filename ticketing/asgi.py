"""One port for everything: pages through WSGI threads, websockets through Channels.

Django's own ASGI handler hops between threads for every middleware; the same pages through WSGI
threads are several times faster (docs/architecture.md). What a whole crowd asks at once does not
even take a thread (`core.lean`).
"""

import json
import os
from typing import Any, cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ticketing.settings")

from a2wsgi import WSGIMiddleware
from a2wsgi.asgi_typing import HTTPScope as Scope
from a2wsgi.asgi_typing import Receive, Send
from channels.routing import ProtocolTypeRouter, URLRouter
from channels.security.websocket import AllowedHostsOriginValidator
from django.conf import settings
from django.core.wsgi import get_wsgi_application

from ticketing.core.latency import LatencyMiddleware

wsgi = cast(Any, get_wsgi_application())
pages = LatencyMiddleware(WSGIMiddleware(wsgi, workers=settings.WEB_THREADS))
# Our own pages call the sandbox: it must not wait for the threads that wait for it.
sandbox = WSGIMiddleware(wsgi, workers=2 * settings.WEB_THREADS)

from reservations import api as reservations
from ticketing import routing
from ticketing.core import clock
from ticketing.core.fast_path.application import FastPath
from ticketing.events import api as events
from waiting_queue import api as queue
from waiting_queue import stream as queue_stream

site = FastPath(
    [
        *queue.lean_routes,
        *queue_stream.lean_routes,
        *reservations.lean_routes,
        *events.lean_routes,
    ],
    otherwise=pages,
)


async def http(scope: Scope, receive: Receive, send: Send) -> None:
    """The health check answers even when every thread is busy; all else is the site."""
    if scope["path"] == "/healthz":
        await alive(send)
    elif settings.PAYMENTS_SANDBOX and scope["path"].startswith("/sandbox/"):
        await sandbox(scope, receive, send)
    else:
        await site(cast(Any, scope), cast(Any, receive), cast(Any, send))


async def alive(send: Send) -> None:
    """This process runs. The time lets a page set its countdown by our clock."""
    body = json.dumps({"status": "ok", "time": clock.now().isoformat()}).encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": AllowedHostsOriginValidator(URLRouter(routing.urlpatterns)),
    }
)

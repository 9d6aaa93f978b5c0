"""One port for everything: pages through WSGI threads, websockets through Channels.

Django's own ASGI handler hops between threads for every middleware; the same pages through WSGI
threads are several times faster (docs/adr/0006-wsgi-in-asgi.md). Calls that a whole crowd makes at
once take no thread (`core.fast_path`).
"""

import json
import os
from typing import Any, cast

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "ticketing.settings")

from channels.routing import ProtocolTypeRouter, URLRouter
from django.conf import settings
from django.core.wsgi import get_wsgi_application
from django.urls import get_resolver

from ticketing.core.latency import LatencyMiddleware
from ticketing.core.live.connection_limits import SocketLimits, connection_limits
from ticketing.core.live.origin_check import OriginCheck
from ticketing.core.postgresql.base import limit_silence

limit_silence(settings.DATABASE_TIMEOUT)
wsgi = cast(Any, get_wsgi_application())
if settings.PAYMENTS_SANDBOX and settings.PAYMENTS_SANDBOX_PORT:
    from payments.sandbox.proxy import forward as sandbox
elif settings.PAYMENTS_SANDBOX:
    from payments.sandbox.asgi import application as sandbox

from payments.api.calls import CALLS as PAYMENT_CALLS
from payments.views.fast_routes import ROUTES as PAYMENT_ROUTES
from reservations.api.calls import CALLS as RESERVATION_CALLS
from reservations.views.copies import PAGES as RESERVATION_PAGES
from ticketing import routing
from ticketing.core import clock
from ticketing.core.challenge_providers import ProviderCheck
from ticketing.core.fast_path.application import FastPath
from ticketing.core.fast_path.bodies import Receive
from ticketing.core.fast_path.front_door import FrontDoor, PageDoor
from ticketing.core.fast_path.page_copies import PageCopies
from ticketing.core.fast_path.requests import Scope
from ticketing.core.fast_path.responses import Send
from ticketing.core.logs.context import enter_request
from ticketing.core.page_threads import BodyReader, PageThreads
from ticketing.events.api.calls import CALLS as EVENT_CALLS
from ticketing.events.views.copies import PAGES as EVENT_PAGES
from ticketing.privacy.views.copies import PAGES as PRIVACY_PAGES
from waiting_queue import stream
from waiting_queue.api.calls import CALLS as QUEUE_CALLS
from waiting_queue.views.copies import PAGES as QUEUE_PAGES

CALLS = [*QUEUE_CALLS, *RESERVATION_CALLS, *EVENT_CALLS, *PAYMENT_CALLS]
PAGES = [*EVENT_PAGES, *QUEUE_PAGES, *RESERVATION_PAGES, *PRIVACY_PAGES]
copies = PageCopies(wsgi.get_response)
threads = PageThreads(wsgi, workers=settings.WEB_THREADS)
pages = BodyReader(ProviderCheck(PageDoor(LatencyMiddleware(threads))))
site = FastPath(
    [
        *(call.route() for call in CALLS),
        *(page.route(copies) for page in PAGES),
        *stream.ROUTES,
        *PAYMENT_ROUTES,
    ],
    fallback=pages,
    count_stream=connection_limits.counted,
)
front_door = FrontDoor(site)
get_resolver().reverse_dict  # noqa: B018 - loads all URLs now, not while the first people join


async def http(scope: Scope, receive: Receive, send: Send) -> None:
    """The health check is answered even when every thread is busy."""
    enter_request(scope)
    if scope["path"] == "/healthz":
        await alive(send)
    elif settings.PAYMENTS_SANDBOX and scope["path"].startswith("/sandbox/"):
        await sandbox(scope, receive, cast(Any, send))
    else:
        await front_door(scope, receive, send)


async def alive(send: Send) -> None:
    """Says that this process runs, and the time, by which pages set their countdown."""
    body = json.dumps({"status": "ok", "time": clock.now().isoformat()}).encode()
    headers = [(b"content-type", b"application/json"), (b"cache-control", b"no-store")]
    await send({"type": "http.response.start", "status": 200, "headers": headers})
    await send({"type": "http.response.body", "body": body})


application = ProtocolTypeRouter(
    {
        "http": http,
        "websocket": OriginCheck(SocketLimits(URLRouter(routing.urlpatterns))),
    }
)

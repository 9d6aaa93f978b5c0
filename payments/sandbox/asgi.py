"""The sandbox as an application of its own, so that nothing of the site waits for its delays.

The API is answered in the event loop; only the payment window is a page of Django.
"""

from functools import cache
from typing import Any

from django.core.wsgi import get_wsgi_application

from payments.sandbox import fast_window
from payments.sandbox.api import views  # noqa: F401 - the routes
from payments.sandbox.api.endpoint import PREFIX, respond
from payments.sandbox.api.requests import ClientGone, Receive, Scope, Send, send_response
from payments.sandbox.availability import is_enabled
from ticketing.core.overload import Overload
from ticketing.core.page_threads import BodyReader, PageThreads

WINDOW_THREADS = 4


async def application(scope: Scope, receive: Receive, send: Send) -> None:
    if not is_enabled() or not scope["path"].startswith(PREFIX):
        await send_response(send, 404, b"", b"text/html")
        return
    try:
        if await respond(scope, receive, send):
            return
        if unread := await fast_window.respond(scope, receive, send):
            await _pages()(scope, unread, send)
    except ClientGone:
        pass


@cache
def _pages() -> Any:
    """Loaded with the first window that is opened."""
    return BodyReader(PageThreads(get_wsgi_application(), workers=WINDOW_THREADS, state=Overload()))

"""The site's two ways for pages: rendered copies, and Django itself."""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import httpx
from asgiref.sync import sync_to_async

from tests.making import make_event, make_plan, make_user
from tests.waiting_queue.api.conftest import logged_in
from ticketing import asgi
from ticketing.accounts.models import User
from ticketing.accounts.services import add_default_documents
from ticketing.core import clock
from ticketing.core.fast_path.application import FastPath
from ticketing.core.fast_path.page_copies import PageCopies
from ticketing.events.models import Event
from waiting_queue import services as queue
from waiting_queue.models import SaleQueue, WaitingPage

OWN = "http://testserver"
PAGE = {"accept": "text/html,*/*;q=0.8", "accept-language": "en", "accept-encoding": "gzip"}
# What differs between two requests of the same person at two moments.
TOKEN = re.compile(r'(name="csrfmiddlewaretoken" value=")[A-Za-z0-9]{64}"')
KEY = re.compile(r'(name="key" value=")[-\w]{16}')
MOMENT = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d[.\d]*\+\d\d:\d\d|\b\d\d:\d\d:\d\d\b")
POLL = re.compile(r"((?:next_poll|socket_after)_ms&quot;: )\d+")
SIGNED = re.compile(r"q[rp]_[-\w.]+")


class Site:
    """Copies of its own, as a process that has just started."""

    def __init__(self, get_response: Any = None) -> None:
        self.renders: list[Any] = []
        self.fell_through = 0
        self._get_response = get_response or asgi.wsgi.get_response
        self.copies = PageCopies(self._counted)
        routes = [page.route(self.copies) for page in asgi.PAGES]
        self.application = FastPath(routes, self._fallback)

    def _counted(self, request: Any) -> Any:
        self.renders.append(request)
        return self._get_response(request)

    async def _fallback(self, scope: Any, receive: Any, send: Any) -> None:
        self.fell_through += 1
        await asgi.site.fallback(scope, receive, send)

    async def get(self, path: str, method: str = "GET", **headers: str | None) -> httpx.Response:
        return await send(self.application, path, method, headers)

    async def django(self, path: str, method: str = "GET", **headers: str | None) -> httpx.Response:
        return await send(asgi.site.fallback, path, method, headers)


async def send(
    application: Any, path: str, method: str, headers: dict[str, str | None]
) -> httpx.Response:
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    pairs = [
        (name.encode(), value.encode("latin-1"))
        for name, value in ({"host": "testserver"} | PAGE | named).items()
        if value is not None
    ]
    request = httpx.Request(method, f"{OWN}{path}", headers=pairs)
    response = await httpx.ASGITransport(application).handle_async_request(request)
    response.request = request
    await response.aread()
    return response


def masked(page: str) -> str:
    """The page without what differs from one moment to the next."""
    page = KEY.sub(r"\1", TOKEN.sub(r"\1", page))
    return SIGNED.sub("signed", POLL.sub(r"\1", MOMENT.sub("moment", page)))


@dataclass(frozen=True)
class Visitor:
    user: User
    session: str

    @property
    def cookie(self) -> str:
        return f"sessionid={self.session}"


def make_visitor(name: str = "Ann <b>&\"'", **fields: Any) -> Visitor:
    user = make_user(password=None, display_name=name, **fields)
    return Visitor(user, logged_in(user))


amake_visitor = sync_to_async(make_visitor)


# -- situations ------------------------------------------------------------------------------------


def event_in(state: str, **fields: Any) -> Callable[[datetime], Event]:
    return lambda now: make_event(now, plan=make_plan(standing=3), state=state, **fields)


def with_documents(now: datetime) -> Event:
    add_default_documents(now=now)
    return make_event(now)


def soon(now: datetime) -> Event:
    return make_event(now, state=Event.State.ANNOUNCED, on_sale_at=now + timedelta(minutes=5))


def with_line(state: str, **fields: Any) -> Callable[[datetime], Event]:
    def make(now: datetime) -> Event:
        event = make_event(now, plan=make_plan(standing=3))
        opens = {"opens_at": now + timedelta(minutes=5) if state == "scheduled" else now}
        SaleQueue.objects.create(event=event, admit_per_second=0, **opens | fields)
        steps = {"scheduled": [], "lobby": ["lobby"], "open": ["open"]}
        for step in steps.get(state, ["open", state]):
            queue.move_queue(event_id=event.pk, to=step, by=None, now=now)
        return event

    return make


def with_own_page(now: datetime) -> Event:
    """An open line with a published waiting page of its own."""
    event = with_line("open")(now)
    WaitingPage.objects.create(
        queue_id=event.pk, headline_ko="어서 오세요", headline_en="Welcome", accent_dark="#c4b5fd"
    )
    queue.publish_page(event_id=event.pk, by=None, now=now)
    return event


def admit(event: Event, user: User) -> None:
    """Join, wait for the turn and come in. The queue must be open."""
    SaleQueue.objects.filter(pk=event.pk).update(admit_per_second=100)
    here: Any = {"event_id": event.pk, "person": str(user.pk)}
    queue.join(**here, now=clock.now())
    for seconds in (1, 2):
        queue.tick_open_queues(now=clock.now() + timedelta(seconds=seconds))
    queue.claim(**here, now=clock.now())

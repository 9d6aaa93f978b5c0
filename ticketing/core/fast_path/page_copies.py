"""The rendered copies of this process, each at most a second old: one of all processes renders."""

import asyncio
import io
import logging
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

from django.conf import settings
from django.core.handlers.wsgi import WSGIRequest
from django.http import HttpRequest, HttpResponse
from django.utils import translation
from redis.exceptions import RedisError

from ticketing.core import clock
from ticketing.core.fast_path import store
from ticketing.core.fast_path.application import FallThrough
from ticketing.core.fast_path.copies import Copy
from ticketing.core.fast_path.marks import Marks
from ticketing.core.fast_path.threads import in_render_thread
from ticketing.core.ttl_cache import clearable

# While a page can't be rendered, or only slowly, its last copy is sent for so long: the database is
# then in trouble already, and a crowd that is told of an error reloads all the more.
STALE_SECONDS = 5.0
# A copy that has reached this share of its life is renewed while it is still sent: under load
# nobody waits for a render.
RENEWAL_SHARE = 0.75
# How long a request waits for a render.
PATIENCE_SECONDS = 1.0
# After a failed render: until the next one.
PAUSE_SECONDS = 1.0
# How long the others may take to tell of their copy before this process renders its own.
REDIS_SECONDS, POLL_SECONDS = 0.25, 0.02
MAX_COPIES = 256

log = logging.getLogger(__name__)
GetResponse = Callable[[HttpRequest], HttpResponse]


class Variant(NamedTuple):
    """All that a copy may depend on. `name`: for whom it is; empty for people without a log-in."""

    path: str
    query: str
    name: str
    language: str
    is_secure: bool

    @property
    def key(self) -> str:
        scheme = "https" if self.is_secure else "http"
        return f"{scheme}:{self.language}:{self.name}:{self.path}?{self.query}"


class Kept(NamedTuple):
    """A copy, when it was made, and until when it is sent without a look for a newer one."""

    copy: Copy
    made: float
    until: float


class PageCopies:
    """`get_response` is Django's handler with all middleware: copies have the page's headers."""

    def __init__(self, get_response: GetResponse) -> None:
        self._get_response = get_response
        self._kept: dict[Variant, Kept] = clearable({})
        self._renewals: dict[Variant, asyncio.Task[Kept]] = {}
        self._redis_silent_until = 0.0

    async def get(self, variant: Variant, seconds: float) -> Copy:
        """The copy, at most so many seconds old. Requests of one moment wait for one render."""
        kept, now = self._kept.get(variant), clock.monotonic()
        if kept and now < kept.until:
            if now >= kept.until - (1 - RENEWAL_SHARE) * seconds:
                self._renewal(variant, seconds)
            return kept.copy
        try:
            async with asyncio.timeout(PATIENCE_SECONDS):
                return (await asyncio.shield(self._renewal(variant, seconds))).copy
        except Exception:  # logged when the render ends
            if kept and clock.monotonic() - kept.made < seconds + STALE_SECONDS:
                return kept.copy
            raise FallThrough() from None

    def _renewal(self, variant: Variant, seconds: float) -> "asyncio.Task[Kept]":
        """The one that is under way, or a new one."""
        renewal = self._renewals.get(variant)
        if renewal is None or renewal.done():
            renewal = asyncio.get_running_loop().create_task(self._renew(variant, seconds))
            self._renewals[variant] = renewal
            renewal.add_done_callback(partial(self._forget, variant))
        return renewal

    def _forget(self, variant: Variant, renewal: "asyncio.Task[Kept]") -> None:
        if self._renewals.get(variant) is renewal:
            del self._renewals[variant]
        if not renewal.cancelled() and (failure := renewal.exception()):
            log.error("no copy of %s: %s", variant.path, failure, exc_info=failure)

    async def _renew(self, variant: Variant, seconds: float) -> Kept:
        kept = await self._from_others(variant, seconds) or await self._rendered(variant, seconds)
        previous, now = self._kept.pop(variant, None), clock.monotonic()
        if kept.copy.status >= 500 and previous and now - previous.made < seconds + STALE_SECONDS:
            kept = previous._replace(until=now + PAUSE_SECONDS)
        self._drop_old(now)
        self._kept[variant] = kept
        return kept

    def _drop_old(self, now: float) -> None:
        """What is no longer sent, and the oldest if there are too many, as of guessed addresses."""
        for variant in [key for key, one in self._kept.items() if now > one.until + STALE_SECONDS]:
            del self._kept[variant]
        while len(self._kept) >= MAX_COPIES:
            del self._kept[next(iter(self._kept))]

    async def _from_others(self, variant: Variant, seconds: float) -> Kept | None:
        """A young copy of any process; None if this one is to render, or Redis says nothing."""
        if clock.monotonic() < self._redis_silent_until:
            return None
        try:
            while True:
                async with asyncio.timeout(REDIS_SECONDS):
                    if kept := await self._shared(variant, seconds):
                        return kept
                    if await store.acquire_render_lock(variant.key):
                        # Another process may have rendered between the look and the lock.
                        kept = await self._shared(variant, seconds)
                        if kept:
                            store.release_render_lock(variant.key)
                        return kept
                await asyncio.sleep(POLL_SECONDS)
        except (RedisError, TimeoutError):
            self._redis_silent_until = clock.monotonic() + STALE_SECONDS
            return None

    async def _shared(self, variant: Variant, seconds: float) -> Kept | None:
        found = await store.shared_copy(variant.key, keep_seconds=seconds + STALE_SECONDS)
        if found is None or found[1] >= RENEWAL_SHARE * seconds:
            return None
        made = clock.monotonic() - found[1]
        return Kept(Copy.from_json(found[0]), made, made + seconds)

    async def _rendered(self, variant: Variant, seconds: float) -> Kept:
        try:
            return await in_render_thread(self._render_and_share, variant, seconds)
        finally:
            if clock.monotonic() >= self._redis_silent_until:
                store.release_render_lock(variant.key)

    def _render_and_share(self, variant: Variant, seconds: float) -> Kept:
        """In a thread. A copy is as old as the beginning of its render."""
        made = clock.monotonic()
        copy = render(variant, self._get_response)
        if copy.status == 200 and made >= self._redis_silent_until:
            left = seconds + STALE_SECONDS - (clock.monotonic() - made)
            try:
                store.share_copy(variant.key, copy.to_json(), keep_seconds=left)
            except RedisError as outage:
                log.warning("a copy of %s is not shared: %s", variant.path, outage)
        # After a render that took longer than a copy lives: a moment without the next.
        return Kept(copy, made, max(made + seconds, clock.monotonic() + POLL_SECONDS))


def render(variant: Variant, get_response: GetResponse) -> Copy:
    """The page as Django answers a request with nothing of a person in it but the language."""
    request, marks = WSGIRequest(_environ(variant)), Marks(variant.name)
    request.marks = marks  # type: ignore[attr-defined]
    copy = _copy_of(request, marks, variant.language, get_response)
    if copy.names and not variant.name:
        raise ValueError("the page holds what is for one person alone")
    return copy


def _copy_of(request: HttpRequest, marks: Marks, language: str, get_response: GetResponse) -> Copy:
    with translation.override(language):
        response = get_response(request)
        response.close()
    if response.cookies:
        raise ValueError("the page holds what is for one person alone")
    parts = marks.split(response.content.decode())
    headers = [
        (name.lower().encode(), value.encode("latin-1"))
        for name, value in response.items()
        if name != "Content-Length"
    ]
    return Copy(response.status_code, headers, parts, marks.facts)


def render_marked(path: str, language: str, get_response: GetResponse) -> Copy:
    """A page whose own address, `{path}` in it, differs for each person."""
    marks = Marks("")
    address = path.format(path=marks.mark("path"))
    request = WSGIRequest(_environ(Variant(address, "", "", language, is_secure=False)))
    request.marks = marks  # type: ignore[attr-defined]
    return _copy_of(request, marks, language, get_response)


def _environ(variant: Variant) -> dict[str, object]:
    """Copies are the same under every name of the site: any of them will do."""
    names = [name.lstrip(".") for name in settings.ALLOWED_HOSTS if name.strip("*.")]
    return {
        "REQUEST_METHOD": "GET",
        "PATH_INFO": variant.path.encode().decode("latin-1"),
        "QUERY_STRING": variant.query,
        "SERVER_NAME": "localhost",
        "SERVER_PORT": "443" if variant.is_secure else "80",
        "REMOTE_ADDR": "127.0.0.1",
        "HTTP_HOST": names[0] if names else "localhost",
        "HTTP_ACCEPT": "text/html",
        "HTTP_COOKIE": f"{settings.LANGUAGE_COOKIE_NAME}={variant.language}",
        "wsgi.url_scheme": "https" if variant.is_secure else "http",
        "wsgi.input": io.BytesIO(),
    }

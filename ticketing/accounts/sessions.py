"""The session engine: rows in PostgreSQL, read from a copy in Redis without SQL.

While Redis is down, sessions are read from PostgreSQL, and changing or ending one is refused: the
row and its copy change together or not at all, so that an ended session cannot reappear later.
"""

import functools
import json
import logging
from collections.abc import Callable, Collection, Mapping
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, TypeGuard, cast

from asgiref.sync import sync_to_async
from channels.db import database_sync_to_async
from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.auth.signals import user_logged_in
from django.contrib.sessions.backends.base import SessionBase, UpdateError
from django.contrib.sessions.backends.cached_db import SessionStore as CachedDbStore
from django.contrib.sessions.backends.db import SessionStore as DbStore
from django.core.cache import cache
from django.db import transaction
from django.db.models import prefetch_related_objects
from django.dispatch import receiver
from django.http import HttpRequest

from ticketing.accounts.models import SecurityEvent, Session, User
from ticketing.accounts.second_factor import needs_second_factor
from ticketing.core import clock, redis
from ticketing.core.error_responses import OUTAGES
from ticketing.core.throttle import client_address

log = logging.getLogger(__name__)

# An ended session that a restored Redis brings back is valid at most this long.
COPY_SECONDS = 3600
# Longer than any request that read the row just before it was deleted.
ENDED_SECONDS = 60
ENDED = "ended"
LONGEST_KEY = 40
CALLER = "caller"
ORIGIN = "origin"  # where and when the log-in was
# Times of a session of staff: its log-in, the last request, the last proof of who it is.
STAFF_SINCE, STAFF_SEEN, FRESH_AT = "staff_since", "staff_seen", "fresh_at"


def is_session_key(text: str | None) -> TypeGuard[str]:
    return text is not None and text.isascii() and text.isalnum() and len(text) <= LONGEST_KEY


class SessionStore(CachedDbStore):
    cache_key_prefix = "session:"
    _session: dict[str, Any]
    _get_session_from_db: Callable[[], Session | None]

    @classmethod
    def get_model_class(cls) -> type[Session]:
        return Session

    def _validate_session_key(self, key: str | None) -> bool:
        """A cookie may say anything, also what PostgreSQL can't compare with."""
        return is_session_key(key)

    def create_model_instance(self, data: dict[str, Any]) -> Session:
        session = cast(Session, super().create_model_instance(data))
        session.user_id = data.get(SESSION_KEY)
        session.expire_date = clock.now() + timedelta(seconds=self.get_expiry_age())
        origin = data.get(ORIGIN, {})
        session.address, session.agent = origin.get("address", ""), origin.get("agent", "")
        if at := origin.get("at"):
            session.created_at = datetime.fromisoformat(at)
        return session

    def get_expiry_age(self, **kwargs: Any) -> int:
        """Sessions of staff end after a rest, and after some hours at the latest."""
        age = super().get_expiry_age(**kwargs)
        if "expiry" in kwargs or STAFF_SINCE not in self:
            return age
        until = self[STAFF_SINCE] + 3600 * settings.STAFF_SESSION_HOURS
        left = int(until - clock.now().timestamp())
        return max(0, min(age, 60 * settings.STAFF_REST_MINUTES, left))

    @classmethod
    def end(cls, keys: Collection[str]) -> None:
        """Delete the rows and mark the copies as ended, so that no late reader re-adds one."""
        with transaction.atomic():
            Session.objects.filter(session_key__in=keys).delete()
            cache.set_many({cls.cache_key_prefix + key: ENDED for key in keys}, ENDED_SECONDS)

    @classmethod
    def create_all(cls, logged_in: Mapping[str, User], *, expires: datetime) -> None:
        """Create a logged-in session under each key; existing sessions stay as they are."""
        prefetch_related_objects(list(logged_in.values()), "identity")
        data = {key: _logged_in_data(user) for key, user in logged_in.items()}
        rows = [
            Session(
                session_key=key,
                session_data=cls().encode(data[key]),
                expire_date=expires,
                user=user,
            )
            for key, user in logged_in.items()
        ]
        with transaction.atomic():
            Session.objects.bulk_create(rows, ignore_conflicts=True)
            copies = {cls.cache_key_prefix + key: values for key, values in data.items()}
            cache.set_many(copies, COPY_SECONDS)

    def delete(self, session_key: str | None = None) -> None:
        if key := session_key or self.session_key:
            self.end([key])

    def save(self, must_create: bool = False) -> None:
        """The row lock serialises the copies of concurrent saves and ends."""
        with transaction.atomic():
            DbStore.save(self, must_create)
            cache.set(self.cache_key, self._session, min(self.get_expiry_age(), COPY_SECONDS))

    def exists(self, session_key: str) -> bool:
        return DbStore.exists(self, session_key)

    def load(self) -> dict[str, Any]:
        """From Redis; from PostgreSQL if Redis has no copy or is down."""
        try:
            data = cache.get(self.cache_key)
        except OUTAGES as outage:
            log.warning("session read from the database: %s", outage)
            return DbStore.load(self)
        if data is None:
            return self._load_row()
        if data == ENDED:
            self._session_key = None
            return {}
        return data

    def _load_row(self) -> dict[str, Any]:
        row = self._get_session_from_db()
        if row is None:
            return {}
        data: dict[str, Any] = self.decode(row.session_data)
        seconds = min(self.get_expiry_age(expiry=row.expire_date), COPY_SECONDS)
        try:
            cache.add(self.cache_key, data, seconds)  # never replaces a newer copy or an end mark
        except OUTAGES as outage:
            log.warning("session not copied to Redis: %s", outage)
        return data

    async def aload(self) -> dict[str, Any]:
        """The same in the event loop; a thread is needed only if Redis has no copy."""
        copy = await acopy(self.session_key or "")
        if copy is None:
            return await database_sync_to_async(self.load)()
        if copy == ENDED:
            self._session_key = None
            return {}
        return copy

    async def asave(self, must_create: bool = False) -> None:
        await sync_to_async(self.save)(must_create)

    async def adelete(self, session_key: str | None = None) -> None:
        await sync_to_async(self.delete)(session_key)

    async def aexists(self, session_key: str) -> bool:
        return await sync_to_async(self.exists)(session_key)


async def acopy(session_key: str) -> Any:
    """What Redis has of a session: its data, `ENDED`, or None. Needs no session store, which makes
    a cache client of its own in every coroutine."""
    try:
        raw = await redis.async_client().get(f"{cache_prefix()}{session_key}")
    except OUTAGES:
        return None  # load() meets the outage too, and logs it
    return None if raw is None else json.loads(raw)


@functools.cache
def cache_prefix() -> str:
    """The prefix of the Redis keys of all copies."""
    return cache.make_key(SessionStore.cache_key_prefix)


def store_caller(session: SessionBase, user: User) -> None:
    """Store the caller's data in the session, for readers without SQL (`selectors.caller`)."""
    session[CALLER] = _caller_data(user, session)
    if user.is_staff:
        now = clock.now().timestamp()
        session.setdefault(STAFF_SINCE, now)
        session.setdefault(STAFF_SEEN, now)


def refresh_callers(user: User) -> None:
    """The same in all sessions of the user: another name, or a confirmed address."""
    for key in user.sessions.values_list("session_key", flat=True):
        session = SessionStore(key)
        if SESSION_KEY in session:
            store_caller(session, user)
            with suppress(UpdateError):  # ended meanwhile
                session.save()


def _caller_data(user: User, session: Mapping[str, Any]) -> dict[str, Any]:
    """Staff without their second factor are treated like everybody else."""
    return {
        "name": user.display_name,
        "is_staff": user.is_staff and not needs_second_factor(user, session),
        "is_confirmed": user.is_confirmed,
        "since": int(user.date_joined.timestamp()),
        **({"birth_year": year} if (year := user.birth_year) else {}),
    }


def _logged_in_data(user: User) -> dict[str, Any]:
    """The session data that a log-in writes."""
    return {
        SESSION_KEY: str(user.pk),
        BACKEND_SESSION_KEY: "django.contrib.auth.backends.ModelBackend",
        HASH_SESSION_KEY: user.get_session_auth_hash(),
        CALLER: _caller_data(user, {}),
    }


@receiver(user_logged_in)
def on_log_in(sender: object, request: HttpRequest, user: User, **kwargs: Any) -> None:
    request.session.pop(STAFF_SINCE, None)
    now = clock.now()
    request.session[FRESH_AT] = now.timestamp()
    store_caller(request.session, user)
    origin = client_address(request)
    request.session[ORIGIN] = {
        "address": origin,
        "agent": request.headers.get("user-agent", "")[:200],
        "at": now.isoformat(),
    }
    SecurityEvent.record(user, SecurityEvent.Kind.LOGGED_IN, origin=origin)

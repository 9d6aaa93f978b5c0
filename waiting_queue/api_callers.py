"""Who speaks at the desk: a queue token, an API token or a session (docs/api.md)."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime

from channels.db import database_sync_to_async
from django.conf import settings
from django.http.cookie import parse_cookie

from ticketing.accounts import selectors as accounts
from ticketing.accounts.services import use_token
from ticketing.core.errors import NotLoggedIn
from ticketing.core.origins import SAFE_METHODS, require_own_origin
from waiting_queue.errors import BadQueueToken
from waiting_queue.tokens import PREFIX, QueueToken, read_token


@dataclass(frozen=True, slots=True)
class Speaker:
    """A person, and the queue token that speaks for them, if it is one that does."""

    person: str
    token: QueueToken | None = None


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request shows; one of the three, or nothing."""

    token: QueueToken | None = None
    secret: str = ""
    session_key: str = ""


def credentials(
    headers: Mapping[str, str], *, event_id: int, method: str, own_origin: str
) -> Credentials:
    """A bearer comes before a cookie. Only a cookie is sent without its owner's will."""
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _of_bearer(secret.strip(), event_id)
    cookies = parse_cookie(headers.get("cookie", ""))
    session_key = cookies.get(settings.SESSION_COOKIE_NAME, "")
    if session_key and method not in SAFE_METHODS:
        require_own_origin(headers, own=own_origin)
    return Credentials(session_key=session_key)


def _of_bearer(secret: str, event_id: int) -> Credentials:
    if not secret.startswith(PREFIX):
        return Credentials(secret=secret)
    token = read_token(secret)
    if token.event_id != event_id:
        raise BadQueueToken()
    return Credentials(token=token)


def speaker(shown: Credentials, *, now: datetime) -> Speaker:
    if shown.token:
        return Speaker(shown.token.person, shown.token)
    if shown.secret:
        return _owner(shown.secret, now)
    return _known(accounts.caller(shown.session_key))


async def aspeaker(shown: Credentials, *, now: datetime) -> Speaker:
    """No SQL for a queue token or a session; one statement, in a thread, for an API token."""
    if shown.token:
        return Speaker(shown.token.person, shown.token)
    if shown.secret:
        return await database_sync_to_async(_owner)(shown.secret, now)
    return _known(await accounts.acaller(shown.session_key))


def _owner(secret: str, now: datetime) -> Speaker:
    return Speaker(str(use_token(secret=secret, now=now).user.pk))


def _known(caller: accounts.Caller | None) -> Speaker:
    if caller is None:
        raise NotLoggedIn()
    return Speaker(str(caller.id))

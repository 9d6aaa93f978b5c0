"""Who calls the queue: the holder of a queue token, of an API token, or of a session."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings
from django.http.cookie import parse_cookie
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from ticketing.accounts import selectors as accounts
from ticketing.accounts.services import authenticate_token
from ticketing.core import clock
from ticketing.core.error_responses import CHALLENGE
from ticketing.core.errors import NotLoggedIn
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.origins import SAFE_METHODS, require_own_origin
from waiting_queue.errors import BadQueueToken
from waiting_queue.tokens import PREFIX, QueueToken, read_token


@dataclass(frozen=True, slots=True)
class QueueCaller:
    """A person, and the queue token they called with, if it was one."""

    person: str
    token: QueueToken | None = None

    def require_account(self) -> str:
        """The person, if they are logged in; a place in line does not prove an account."""
        if self.token:
            raise NotLoggedIn()
        return self.person


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request brings: one of the three, or nothing."""

    token: QueueToken | None = None
    secret: str = ""
    session_key: str = ""


class QueueAuthentication(BaseAuthentication):
    """Refuses everybody who is none of the three."""

    def authenticate(self, request: Request) -> tuple[QueueCaller, None]:
        parser_context: Any = request.parser_context
        credentials = read_credentials(
            request.headers,
            event_id=parser_context["kwargs"]["event_id"],
            method=request.method or "",
            own_origin=f"{request.scheme}://{request.get_host()}",
        )
        return caller_with(credentials, now=clock.now()), None

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE

    async def aauthenticate(self, request: ApiRequest) -> QueueCaller:
        credentials = read_credentials(
            request.headers,
            event_id=request.path_params["event_id"],
            method=request.method,
            own_origin=request.own_origin,
        )
        return await acaller_with(credentials, now=request.now)


def read_credentials(
    headers: Mapping[str, str], *, event_id: int, method: str, own_origin: str
) -> Credentials:
    """A bearer token comes before a cookie. Only cookies can be sent by other sites."""
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        return _bearer_credentials(secret.strip(), event_id)
    cookies = parse_cookie(headers.get("cookie", ""))
    session_key = cookies.get(settings.SESSION_COOKIE_NAME, "")
    if session_key and method not in SAFE_METHODS:
        require_own_origin(headers, own=own_origin)
    return Credentials(session_key=session_key)


def _bearer_credentials(secret: str, event_id: int) -> Credentials:
    if not secret.startswith(PREFIX):
        return Credentials(secret=secret)
    token = read_token(secret)
    if token.event_id != event_id:
        raise BadQueueToken()
    return Credentials(token=token)


def caller_with(credentials: Credentials, *, now: datetime) -> QueueCaller:
    if credentials.token:
        return QueueCaller(credentials.token.person, credentials.token)
    if credentials.secret:
        return _owner_of_api_token(credentials.secret, now)
    return _logged_in(accounts.caller(credentials.session_key))


async def acaller_with(credentials: Credentials, *, now: datetime) -> QueueCaller:
    """No SQL for a queue token or a session; one statement, in a thread, for an API token."""
    if credentials.token:
        return QueueCaller(credentials.token.person, credentials.token)
    if credentials.secret:
        return await in_thread(_owner_of_api_token, credentials.secret, now)
    return _logged_in(await accounts.acaller(credentials.session_key))


def _owner_of_api_token(secret: str, now: datetime) -> QueueCaller:
    return QueueCaller(str(authenticate_token(secret=secret, now=now).user.pk))


def _logged_in(caller: accounts.Caller | None) -> QueueCaller:
    if caller is None:
        raise NotLoggedIn()
    return QueueCaller(str(caller.id))

"""Who calls the queue: the holder of a queue token, of an API token, or of a session."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime
from functools import cached_property
from typing import Any

from django.conf import settings
from django.http.cookie import parse_cookie
from rest_framework.authentication import BaseAuthentication
from rest_framework.request import Request

from ticketing.accounts import selectors as accounts
from ticketing.accounts.authentication import scope_for
from ticketing.accounts.services import authenticate_token
from ticketing.core import clock
from ticketing.core.browsers import Browser, browser_of
from ticketing.core.error_responses import CHALLENGE
from ticketing.core.errors import NotLoggedIn
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.origins import SAFE_METHODS, require_own_origin
from ticketing.core.throttle import address_range
from waiting_queue.errors import BadQueueToken
from waiting_queue.services.challenges import Newcomer
from waiting_queue.tokens import PREFIX, QueueToken, read_token


@dataclass(frozen=True)
class QueueCaller:
    """A person, and the queue token they called with, if it was one."""

    person: str
    token: QueueToken | None = None
    is_confirmed: bool = True  # holders of queue and API tokens are
    birth_year: int = 0  # of the verified person; the holder of a queue token can't join
    headers: Mapping[str, str] = field(default_factory=dict, repr=False)
    account_since: int = 0  # in seconds; 0: unknown

    @cached_property
    def browser(self) -> Browser:
        """The one that a pass names, or the one that sent this; polls of a crowd don't ask."""
        if self.token and self.token.browser:
            return Browser(self.token.browser)
        return browser_of(self.headers)

    def newcomer(self, address: str) -> Newcomer:
        """What a request to join from this address says about who sends it."""
        return Newcomer(
            address=address,
            device=self.browser.known_mark,
            account_since=self.account_since,
            is_verified=bool(self.birth_year),
            solution=self.headers.get("challenge-solution", ""),
        )

    def require_account(self) -> str:
        """The person, if they are logged in; a place in line does not prove an account."""
        if self.token:
            raise NotLoggedIn()
        return self.person


@dataclass(frozen=True, slots=True)
class Credentials:
    """What a request brings: one of the three, or nothing."""

    headers: Mapping[str, str]
    token: QueueToken | None = None
    secret: str = ""
    scope: str = ""  # that an API token needs
    client: str = ""  # the IP address
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
            client=request.META.get("REMOTE_ADDR") or "",
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
            client=request.client,
        )
        return await acaller_with(credentials, now=request.now)


def read_credentials(
    headers: Mapping[str, str], *, event_id: int, method: str, own_origin: str, client: str
) -> Credentials:
    """A bearer token comes before a cookie. Only cookies can be sent by other sites."""
    scheme, _, secret = headers.get("authorization", "").partition(" ")
    if scheme.lower() == "bearer":
        secret = secret.strip()
        if not secret.startswith(PREFIX):
            return Credentials(headers, secret=secret, scope=scope_for(method), client=client)
        token = read_token(secret)
        if token.event_id != event_id:
            raise BadQueueToken()
        return Credentials(headers, token=token)
    cookies = parse_cookie(headers.get("cookie", ""))
    session_key = cookies.get(settings.SESSION_COOKIE_NAME, "")
    if session_key and method not in SAFE_METHODS:
        require_own_origin(headers, own=own_origin)
    return Credentials(headers, session_key=session_key)


def caller_with(credentials: Credentials, *, now: datetime) -> QueueCaller:
    if credentials.token:
        return _token_holder(credentials, credentials.token, now)
    if credentials.secret:
        return _owner_of_api_token(credentials, now)
    return _logged_in(credentials, accounts.caller(credentials.session_key))


async def acaller_with(credentials: Credentials, *, now: datetime) -> QueueCaller:
    """No SQL for a queue token or a session; one statement, in a thread, for an API token."""
    if credentials.token:
        return _token_holder(credentials, credentials.token, now)
    if credentials.secret:
        return await in_thread(_owner_of_api_token, credentials, now)
    return _logged_in(credentials, await accounts.acaller(credentials.session_key))


def _token_holder(credentials: Credentials, token: QueueToken, now: datetime) -> QueueCaller:
    token.require_current(now)
    return QueueCaller(token.person, token, headers=credentials.headers)


def _owner_of_api_token(credentials: Credentials, now: datetime) -> QueueCaller:
    token = authenticate_token(
        secret=credentials.secret,
        scope=credentials.scope,
        address=address_range(credentials.client),
        now=now,
    )
    user = token.user
    return QueueCaller(
        str(user.pk),
        headers=credentials.headers,
        account_since=int(user.date_joined.timestamp()),
        birth_year=user.birth_year,
    )


def _logged_in(credentials: Credentials, caller: accounts.Caller | None) -> QueueCaller:
    if caller is None:
        raise NotLoggedIn()
    return QueueCaller(
        str(caller.id),
        headers=credentials.headers,
        is_confirmed=caller.is_confirmed,
        account_since=caller.since,
        birth_year=caller.birth_year,
    )

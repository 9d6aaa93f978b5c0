"""API authentication: by token, by session with CSRF, or by a session read without SQL."""

from typing import Any

from django.conf import settings
from django.contrib.messages.storage.cookie import CookieStorage
from django.contrib.messages.storage.session import SessionStorage
from django.http.cookie import parse_cookie
from drf_spectacular.extensions import OpenApiAuthenticationExtension
from rest_framework import authentication
from rest_framework.permissions import SAFE_METHODS
from rest_framework.request import Request

from ticketing.accounts import selectors, services
from ticketing.accounts.models import ApiToken, Scope, User
from ticketing.accounts.selectors import Caller
from ticketing.core import clock
from ticketing.core.error_responses import CHALLENGE
from ticketing.core.errors import NotLoggedIn, StaleForm
from ticketing.core.fast_path.application import FallThrough
from ticketing.core.fast_path.requests import ApiRequest
from ticketing.core.fast_path.threads import in_thread
from ticketing.core.origins import require_own_origin
from ticketing.core.throttle import address_range, client_address

ASCII_SPACE = " \t\n\r\v\f"  # what bytes are stripped of
ANY_SCOPE = ""


def scope_for(method: str) -> str:
    """The scope that an API token needs for a fan's call."""
    return Scope.READ if method in SAFE_METHODS else Scope.BUY


class TokenAuthentication(authentication.BaseAuthentication):
    """`Authorization: Bearer tk_…`; a view that is not for fans names its `token_scope`."""

    def authenticate(self, request: Request) -> tuple[User, ApiToken] | None:
        scheme, _, secret = authentication.get_authorization_header(request).partition(b" ")
        if scheme.lower() != b"bearer":
            return None
        view = (request.parser_context or {}).get("view")
        token = services.authenticate_token(
            secret=secret.strip().decode("latin-1"),
            scope=getattr(view, "token_scope", scope_for(request.method or "")),
            address=client_address(request._request),
            now=clock.now(),
        )
        return token.user, token

    def authenticate_header(self, request: Request) -> str:
        """DRF asks the first authenticator; without a header it responds 403 instead of 401."""
        return CHALLENGE


class SessionAuthentication(authentication.SessionAuthentication):
    """A logged-in browser; writing requests need its CSRF token."""

    def enforce_csrf(self, request: Request) -> None:
        check = authentication.CSRFCheck(lambda request: None)  # type: ignore[arg-type]
        check.process_request(request)
        if check.process_view(request, None, (), {}):  # type: ignore[arg-type]
            raise StaleForm()

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


class CallerAuthentication(authentication.BaseAuthentication):
    """A logged-in browser that only reads: identified by its session, without SQL."""

    def authenticate(self, request: Request) -> tuple[Caller, None] | None:
        if request.method not in SAFE_METHODS:
            return None
        caller = selectors.caller_in(request._request.session)
        return (caller, None) if caller else None

    def authenticate_header(self, request: Request) -> str:
        return CHALLENGE


class FanAuthentication(CallerAuthentication):
    """The same for writing requests on hot paths: no SQL; requests from other sites are refused."""

    def authenticate(self, request: Request) -> tuple[Caller, None] | None:
        caller = selectors.caller_in(request._request.session)
        if caller and request.method not in SAFE_METHODS:
            require_own_origin(request.headers, own=f"{request.scheme}://{request.get_host()}")
        return (caller, None) if caller else None

    async def aauthenticate(self, request: ApiRequest) -> Caller:
        """In the event loop, also by API token; other credentials are left to the view."""
        if "authorization" in request.headers:
            return await _token_owner(request)
        cookies = parse_cookie(request.headers.get("cookie", ""))
        caller = await selectors.acaller(cookies.get(settings.SESSION_COOKIE_NAME))
        if caller is None:
            raise NotLoggedIn()
        if request.method not in SAFE_METHODS:
            require_own_origin(request.headers, own=request.own_origin)
        return caller


async def _token_owner(request: ApiRequest) -> Caller:
    """As `TokenAuthentication`; its SQL runs in a thread."""
    scheme, _, secret = request.headers["authorization"].partition(" ")
    if scheme.lower() != "bearer":
        raise FallThrough()
    token = await in_thread(
        services.authenticate_token,
        secret=secret.strip(ASCII_SPACE),
        scope=scope_for(request.method),
        address=address_range(request.client),
        now=request.now,
    )
    return Caller.of(token.user)


async def identify(cookies: dict[str, str]) -> Caller | None:
    """Who asks for a page that has a rendered copy.

    Left to the view: staff, who see drafts; a message that waits to be shown; a session of nobody,
    whose cookie Django deletes.
    """
    if CookieStorage.cookie_name in cookies:
        raise FallThrough()
    if settings.SESSION_COOKIE_NAME not in cookies:
        return None
    session = await selectors.asession_data(cookies[settings.SESSION_COOKIE_NAME])
    caller = selectors.caller_in(session)
    if caller is None or caller.is_staff or SessionStorage.session_key in session:
        raise FallThrough()
    return caller


class TokenScheme(OpenApiAuthenticationExtension):
    target_class = TokenAuthentication
    name = "token"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "http", "scheme": "bearer", "description": "An API token, `tk_…`."}


class SessionScheme(OpenApiAuthenticationExtension):
    target_class: type = SessionAuthentication
    name = "session"

    def get_security_definition(self, auto_schema: Any) -> dict[str, str]:
        return {"type": "apiKey", "in": "cookie", "name": settings.SESSION_COOKIE_NAME}


class CallerScheme(SessionScheme):
    target_class = CallerAuthentication
    name = "session_read"  # names must be unique in the OpenAPI document


class FanScheme(SessionScheme):
    target_class = FanAuthentication
    name = "session_fan"

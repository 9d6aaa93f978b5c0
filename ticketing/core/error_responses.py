"""DomainError → page, JSON or websocket frame: the only mapping."""

import sys
from typing import Any
from urllib.parse import urlencode, urlsplit

from django.core.exceptions import (
    BadRequest,
    PermissionDenied,
    RequestDataTooBig,
    SuspiciousOperation,
    TooManyFieldsSent,
)
from django.db import InterfaceError, OperationalError
from django.http import Http404, HttpRequest, HttpResponse, JsonResponse
from django.shortcuts import render
from django.urls import reverse
from django_redis.exceptions import ConnectionInterrupted
from kombu.exceptions import OperationalError as BrokerDown
from redis.exceptions import RedisClusterException, RedisError
from rest_framework import exceptions as api_exceptions
from rest_framework.response import Response

from ticketing.core import errors
from ticketing.core.errors import DomainError
from ticketing.core.redirects import SeeOther

CHALLENGE = 'Bearer realm="api"'
# JSON that a browser shows as a page runs and loads nothing.
API_CSP = "default-src 'none'; frame-ancestors 'none'"
# A cluster without reachable nodes, or with a slot that nobody serves, raises no `RedisError`.
REDIS_OUTAGES = (RedisError, RedisClusterException, ConnectionInterrupted, BrokerDown)
OUTAGES = (OperationalError, InterfaceError, *REDIS_OUTAGES)
DOMAIN_ERRORS: dict[type[Exception], type[DomainError]] = {
    Http404: errors.NotFound,
    PermissionDenied: errors.NotAllowed,
    BadRequest: errors.InvalidInput,
    SuspiciousOperation: errors.InvalidInput,
    RequestDataTooBig: errors.InvalidInput,
    TooManyFieldsSent: errors.InvalidInput,
    api_exceptions.NotFound: errors.NotFound,
    api_exceptions.NotAuthenticated: errors.NotLoggedIn,
    api_exceptions.AuthenticationFailed: errors.NotLoggedIn,
    api_exceptions.PermissionDenied: errors.NotAllowed,
    api_exceptions.MethodNotAllowed: errors.MethodNotAllowed,
    api_exceptions.APIException: errors.InvalidInput,
} | dict.fromkeys(OUTAGES, errors.Unavailable)


def error_of(exception: BaseException | None) -> DomainError:
    """The error that the caller gets; `Broken` for an exception that nobody expected."""
    match exception:
        case DomainError():
            return exception
        case api_exceptions.Throttled():
            return errors.TooManyRequests(retry_after=int(getattr(exception, "wait", None) or 1))
        case api_exceptions.ValidationError():
            return errors.InvalidInput(fields=exception.get_full_details())
        case api_exceptions.NotAcceptable() | api_exceptions.UnsupportedMediaType():
            refusal = errors.InvalidInput(reason=str(exception.detail))
            refusal.status = exception.status_code
            return refusal
    for kind, error in DOMAIN_ERRORS.items():
        if isinstance(exception, kind):
            return error()
    return errors.Broken()


def headers_of(error: DomainError) -> dict[str, str]:
    """What an error response says in its headers."""
    headers = {}
    if error.retry_after is not None:
        headers["Retry-After"] = str(error.retry_after)
    if error.status == 401:
        headers["WWW-Authenticate"] = getattr(error, "auth_header", CHALLENGE)
    return headers


def body(error: DomainError, message: str = "") -> dict[str, Any]:
    """`message`: the error's own in the language of the reader, if it is known already."""
    return {"code": error.code, "message": message or str(error), "details": error.details}


def frame(error: DomainError) -> dict[str, Any]:
    """The same, as a websocket message."""
    return {"type": "error", **body(error)}


def respond(request: HttpRequest, error: DomainError) -> HttpResponse:
    """JSON for programs, a page for people. Touches neither session nor database."""
    if wants_json(request):
        response: HttpResponse = JsonResponse(body(error), status=error.status)
        response["Cache-Control"] = "no-store"
        response["Content-Security-Policy"] = API_CSP
    elif error.page:
        return SeeOther(f"{reverse(error.page)}?{urlencode(error.details)}")
    else:
        in_admin = request.path.startswith(reverse("admin:index"))
        context = {"error": error, "back": page_before(request), "in_admin": in_admin}
        response = render(request, "errors/error.html", context, status=error.status)
    for name, value in headers_of(error).items():
        response[name] = value
    return response


def page_before(request: HttpRequest) -> str:
    """The page of this site from which the request came; of a GET only if it was another one."""
    page = urlsplit(request.headers.get("Referer", ""))
    path = page.path + (f"?{page.query}" if page.query else "")
    is_ours = page.netloc == request.headers.get("Host") and not path.startswith("//")
    is_again = request.method in ("GET", "HEAD") and path == request.get_full_path()
    return path if is_ours and not is_again else ""


def wants_json(request: HttpRequest) -> bool:
    return request.path.startswith("/api/") or not request.accepts("text/html")


def for_api(exception: Exception, context: dict[str, Any]) -> Response | None:
    """REST framework's hook. A bug goes on to Django, which logs it and calls `server_error`."""
    error = error_of(exception)
    if isinstance(error, errors.Broken):
        return None
    headers = headers_of(error) | {"Cache-Control": "no-store"}
    return Response(body(error), status=error.status, headers=headers)


# -- Django's hooks -------------------------------------------------------------------------------


def bad_request(request: HttpRequest, exception: Exception) -> HttpResponse:
    return respond(request, error_of(exception))


permission_denied = not_found = bad_request


def server_error(request: HttpRequest) -> HttpResponse:
    """Django calls this while the exception is still being handled."""
    return respond(request, error_of(sys.exc_info()[1]))


def csrf_failure(request: HttpRequest, reason: str = "") -> HttpResponse:
    return respond(request, errors.StaleForm())

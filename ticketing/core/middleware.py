"""Refuses unusable requests; turns domain errors and outages raised by views into responses."""

import logging
from collections.abc import Callable

from django.conf import settings
from django.http import HttpRequest, HttpResponse

from ticketing.core.error_responses import OUTAGES, error_of, respond
from ticketing.core.errors import DomainError, InvalidInput
from ticketing.core.fast_path.bodies import LARGEST_FORM
from ticketing.core.metrics.requests import UNKNOWN
from ticketing.core.page_threads import REFUSAL, ROUTE

log = logging.getLogger(__name__)

POLICY = "Permissions-Policy"


class HeadersMiddleware:
    """What Django's own middleware does not say. API answers are kept only if they say so."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        response = self.get_response(request)
        request.META[ROUTE] = _route_of(request)
        response.setdefault(POLICY, settings.PERMISSIONS_POLICY)
        if request.path.startswith("/api/"):
            response.setdefault("Cache-Control", "no-store")
        return response


def _route_of(request: HttpRequest) -> str:
    """For the metrics. Pages of the admin are hundreds, and few people's: they count as one."""
    match = request.resolver_match
    if match is None:
        return "/static/" if request.path.startswith(settings.STATIC_URL) else UNKNOWN
    return "/admin/" if match.app_name == "admin" else f"/{match.route}"


ENCODINGS = {"utf-8", "utf8", "us-ascii", "ascii"}


class InputMiddleware:
    """Refuses what no view can use: a body that was too large to read, a NUL, another encoding."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        refusal = request.META.get(REFUSAL)
        if refusal is None and not is_usable(request):
            refusal = InvalidInput()
        return respond(request, refusal) if refusal else self.get_response(request)


def is_usable(request: HttpRequest) -> bool:
    """PostgreSQL stores no NUL, and an encoding such as UTF-7 could name half a character."""
    if (request.encoding or "utf-8").lower() not in ENCODINGS or "\0" in request.path:
        return False
    query = request.META.get("QUERY_STRING", "")
    if "%00" in query or "\0" in query:
        return False
    length = request.META.get("CONTENT_LENGTH") or "0"
    if request.method != "POST" or not length.isdecimal() or int(length) > LARGEST_FORM:
        return True  # an upload, whose form refuses a NUL
    request.body  # noqa: B018 - keeps it: a view may read it, too
    sent = request.POST.lists()
    return not any("\0" in value for name, values in sent for value in (name, *values))


class ErrorMiddleware:
    """Bugs are not caught: Django logs them and calls `error_responses.server_error`."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        return self.get_response(request)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        if isinstance(exception, OUTAGES):
            log.error("%s %s: %s", request.method, request.path, exception)
        elif not isinstance(exception, DomainError):
            return None
        return respond(request, error_of(exception))

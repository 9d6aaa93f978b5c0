"""Turns domain errors and outages raised by views into responses."""

import logging
from collections.abc import Callable

from django.http import HttpRequest, HttpResponse

from ticketing.core.error_responses import OUTAGES, error_of, respond
from ticketing.core.errors import DomainError

log = logging.getLogger(__name__)


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

"""Sends staff to the second factor before any page of the admin or the door."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from ticketing.accounts.errors import LogInTooOld, SecondFactorMissing
from ticketing.accounts.services import mark_seen, needs_second_factor
from ticketing.core.error_responses import wants_json
from ticketing.events.errors import ApprovalNeeded

PAGES = ("/admin/", "/door/")
# Their views check the second factor (`require_staff`) and answer in JSON.
CALLS = ("/api/v1/door/", "/api/v1/rehearsals/")
# Log-in, log-out and the second factor itself.
EXEMPT = ("/admin/login/", "/admin/logout/", "/admin/jsi18n/", "/admin/console/second-factor/")


class SecondFactor:
    """Public pages are recognised by their path and cost nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if request.path.startswith((*PAGES, *CALLS)):
            if self._needs_code(request):
                return _to("console:second_factor", request.get_full_path())
            mark_seen(request.session)
        return self.get_response(request)

    def _needs_code(self, request: HttpRequest) -> bool:
        is_guarded = request.path.startswith(PAGES) and not request.path.startswith(EXEMPT)
        if not is_guarded or not request.user.is_authenticated:
            return False
        return needs_second_factor(request.user, request.session)

    def process_exception(self, request: HttpRequest, exception: Exception) -> HttpResponse | None:
        """Ask for what a log-in lacks or was too long ago; show a request that was made instead."""
        if wants_json(request):
            return None
        if isinstance(exception, LogInTooOld):
            return _to("accounts:identity", request.get_full_path())
        if isinstance(exception, SecondFactorMissing):
            return _to("console:second_factor", request.get_full_path())
        if isinstance(exception, ApprovalNeeded) and request.path.startswith(PAGES):
            messages.warning(request, f"{exception} {exception.advice}")
            return redirect("console:approval", exception.details["number"])
        return None


def _to(view: str, path: str) -> HttpResponse:
    return redirect(f"{reverse(view)}?{urlencode({'next': path})}")

"""Sends staff to the second factor before any page of the admin or the door."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from ticketing.console.services import needs_second_factor

GUARDED = ("/admin/", "/door/")
# Log-in, log-out and the second factor itself.
EXEMPT = ("/admin/login/", "/admin/logout/", "/admin/jsi18n/", "/admin/console/second-factor/")


class SecondFactor:
    """Public pages are recognised by their path and cost nothing."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if self._is_guarded(request.path) and self._needs_code(request):
            query = urlencode({"next": request.get_full_path()})
            return redirect(f"{reverse('console:second_factor')}?{query}")
        return self.get_response(request)

    def _is_guarded(self, path: str) -> bool:
        return path.startswith(GUARDED) and not path.startswith(EXEMPT)

    def _needs_code(self, request: HttpRequest) -> bool:
        if not request.user.is_authenticated:
            return False
        return needs_second_factor(request.user, request.session)

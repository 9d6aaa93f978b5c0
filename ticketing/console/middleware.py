"""Where a second proof is asked for, no staff get past the admin's door without it."""

from collections.abc import Callable
from urllib.parse import urlencode

from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import reverse

from ticketing.console.services import lacks_second_factor

GUARDED = ("/admin/", "/door/")
# The way in and the way out.
FREE = ("/admin/login/", "/admin/logout/", "/admin/jsi18n/", "/admin/console/second-factor/")


class SecondFactor:
    """Pages of the public cost nothing: they are told by their address."""

    def __init__(self, get_response: Callable[[HttpRequest], HttpResponse]) -> None:
        self.get_response = get_response

    def __call__(self, request: HttpRequest) -> HttpResponse:
        if self._is_guarded(request.path) and self._lacks(request):
            query = urlencode({"next": request.get_full_path()})
            return redirect(f"{reverse('console:second_factor')}?{query}")
        return self.get_response(request)

    def _is_guarded(self, path: str) -> bool:
        return path.startswith(GUARDED) and not path.startswith(FREE)

    def _lacks(self, request: HttpRequest) -> bool:
        if not request.user.is_authenticated:
            return False
        return lacks_second_factor(request.user, request.session)

"""The switch between languages, on every page."""

from django.http import HttpRequest, HttpResponseBase
from django.views import i18n
from django.views.decorators.csrf import csrf_exempt

from ticketing.core.origins import require_own_origin


@csrf_exempt
def set_language(request: HttpRequest) -> HttpResponseBase:
    """Keep the chosen language in a cookie. The form has no token, because one and the same copy of
    a page is sent to everybody; the browser says which site it is on instead."""
    if request.method == "POST":
        require_own_origin(request.headers, own=f"{request.scheme}://{request.get_host()}")
    return i18n.set_language(request)

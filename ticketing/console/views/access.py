"""Permission checks and the page frame that the console's views share."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.views.decorators.cache import never_cache

from ticketing.core.admin.pages import operator

View = Callable[..., HttpResponse]


def requires_permission(permission: str) -> Callable[[View], View]:
    """Admin view for staff with this permission; others get the log-in page or a 403."""

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            check_permission(request, permission)
            return view(request, *args, **kwargs)

        return never_cache(admin.site.admin_view(checked))

    return decorate


def check_permission(request: HttpRequest, permission: str) -> None:
    if not operator(request).has_perm(permission):
        raise PermissionDenied


def render_page(
    request: HttpRequest, template: str, title: str | Promise, **context: Any
) -> TemplateResponse:
    """A page in the frame of the admin."""
    frame = admin.site.each_context(request) | {"title": title}
    return TemplateResponse(request, f"admin/console/{template}.html", frame | context)

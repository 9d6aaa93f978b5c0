"""Who may look and act here, asked on the server for every page, call and socket."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django.contrib import admin
from django.contrib.auth import SESSION_KEY
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.template.response import TemplateResponse
from django.utils.functional import Promise
from django.views.decorators.cache import never_cache

from ticketing.accounts.models import User
from ticketing.accounts.selectors import session_data
from ticketing.console.errors import SecondFactorMissing
from ticketing.console.roles import WATCH
from ticketing.console.services import lacks_second_factor
from ticketing.core.admin.pages import operator
from ticketing.core.errors import NotAllowed, NotFound, NotLoggedIn
from ticketing.events.models import Event
from waiting_queue.models import SaleQueue

View = Callable[..., HttpResponse]


def for_those_who(permission: str) -> Callable[[View], View]:
    """Staff who are logged in and may do this; everybody else meets the log-in, or a refusal."""

    def guarded(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            require(request, permission)
            return view(request, *args, **kwargs)

        return never_cache(admin.site.admin_view(checked))

    return guarded


def require(request: HttpRequest, permission: str) -> None:
    if not operator(request).has_perm(permission):
        raise PermissionDenied


def watcher(session_key: str) -> User:
    """Whose session this is, if they may watch; asked when a socket opens, and again and again."""
    session = session_data(session_key)
    user = User.objects.filter(pk=int(session.get(SESSION_KEY) or 0), is_active=True).first()
    if user is None:
        raise NotLoggedIn()
    if not (user.is_staff and user.has_perm(WATCH)):
        raise NotAllowed()
    if lacks_second_factor(user, session):
        raise SecondFactorMissing()
    return user


def page(
    request: HttpRequest, template: str, title: str | Promise, **context: Any
) -> TemplateResponse:
    """A page in the admin's own frame."""
    frame = admin.site.each_context(request) | {"title": title}
    return TemplateResponse(request, f"admin/console/{template}.html", frame | context)


def queue_of(event_id: int) -> SaleQueue:
    queue = SaleQueue.objects.select_related("event").filter(pk=event_id).first()
    if queue is None:
        raise NotFound()
    return queue


def event_of(event_id: int) -> Event:
    event = Event.objects.filter(pk=event_id).first()
    if event is None:
        raise NotFound()
    return event

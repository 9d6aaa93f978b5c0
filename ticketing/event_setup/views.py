"""The checklist of an event in the admin, and what it does itself."""

from collections.abc import Callable
from functools import wraps
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.utils.translation import gettext as _

from ticketing.core import clock
from ticketing.core.admin.pages import SEOUL, operator, refusals_inside, require_post
from ticketing.core.errors import NotFound
from ticketing.event_setup import labels, selectors, services
from ticketing.event_setup.forms import DuplicateForm
from ticketing.events.models import Event
from ticketing.events.services import sell_without_line

View = Callable[..., HttpResponse]


def staff_with(*permissions: str) -> Callable[[View], View]:
    """An admin page for staff with these permissions."""

    def decorate(view: View) -> View:
        @wraps(view)
        def checked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponse:
            if not operator(request).has_perms(permissions):
                raise PermissionDenied
            return view(request, *args, **kwargs)

        return refusals_inside(admin.site.admin_view(checked))

    return decorate


@staff_with("ticketing.add_event")
def start(request: HttpRequest) -> HttpResponse:
    """The steps up to a new event."""
    first = selectors.first_steps()
    title = _("Set up an event")
    return _page(request, "start", title, first=first, rows=labels.start_rows(first))


@staff_with("ticketing.view_event")
def checklist(request: HttpRequest, event_id: int) -> HttpResponse:
    event = _event(event_id)
    steps = selectors.checklist(event, now=clock.now())
    return _page(
        request,
        "checklist",
        _("%(event)s: checklist") % {"event": event},
        event=event,
        rows=labels.checklist_rows(event, steps),
        missing=[labels.TITLES[step.name] for step in steps if step.is_missing],
    )


@staff_with("ticketing.change_event")
def without_line(request: HttpRequest, event_id: int) -> HttpResponse:
    require_post(request)
    event = _event(event_id)
    sell_without_line(event_id=event.pk, by=operator(request), now=clock.now())
    messages.success(request, _("The event is sold without a line."))
    return redirect("setup:checklist", event.pk)


@staff_with("ticketing.add_event", "queue.add_salequeue")
def duplicate(request: HttpRequest, event_id: int) -> HttpResponse:
    """Ask for titles and start, then create a draft and show its checklist."""
    event = _event(event_id)
    values = {"title_ko": event.title_ko, "title_en": event.title_en, "starts_at": event.starts_at}
    form = DuplicateForm(request.POST or None, initial=values)
    if request.method == "POST" and form.is_valid():
        copy = services.duplicate_event(
            event_id=event.pk,
            titles=form.titles,
            starts_at=form.cleaned_data["starts_at"],
            by=operator(request),
            now=clock.now(),
        )
        messages.success(request, _("The event was duplicated. This is the copy."))
        return redirect("setup:checklist", copy.pk)
    title = _("%(event)s: duplicate") % {"event": event}
    media = forms.Media(js=["admin/js/core.js"]) + form.media
    return _page(request, "duplicate", title, event=event, form=form, media=media, seoul=SEOUL)


def _event(event_id: int) -> Event:
    events = Event.objects.select_related("plan__venue", "queue").filter(rehearsal_of=None)
    event: Event | None = events.filter(pk=event_id).first()
    if event is None:
        raise NotFound()
    return event


def _page(request: HttpRequest, template: str, title: str, **context: Any) -> TemplateResponse:
    frame = admin.site.each_context(request) | {"title": title}
    return TemplateResponse(request, f"admin/event_setup/{template}.html", frame | context)

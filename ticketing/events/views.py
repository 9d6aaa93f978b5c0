"""The public pages: what is on, and one event."""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.paginator import Paginator
from django.http import FileResponse, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.static import serve

from ticketing.accounts.selectors import caller_in
from ticketing.core import clock
from ticketing.events import posters, selectors
from ticketing.events.models import Event

EVENTS_A_PAGE = 12
LONGEST_SEARCH = 80
DAY = 24 * 3600
PICTURES = {"image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"}
# Without JavaScript the page looks again by itself, but only when the opening is near.
NEAR = timedelta(minutes=10)


@require_safe
def home(request: HttpRequest) -> HttpResponse:
    search = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]
    events = selectors.upcoming_events(search=search, now=clock.now())
    page = Paginator(events, EVENTS_A_PAGE).get_page(request.GET.get("page"))
    return render(request, "ticketing/home.html", {"page": page, "search": search})


@require_safe
def event(request: HttpRequest, pk: int) -> HttpResponse:
    shown, now = shown_event(request, pk), clock.now()
    grades = selectors.grades_with_seats_left(shown)
    context = {
        "event": shown,
        "venue": shown.plan.venue,
        "grades": grades,
        "has_seats": any(grade.total for grade in grades),
        "is_sold_out": selectors.is_sold_out(grades),
        "now": now,
        "refresh_after": seconds_until_next_look(shown, now),
    }
    return render(request, "ticketing/event.html", context)


@require_safe
@cache_control(public=True, max_age=DAY)
def poster(request: HttpRequest, pk: int) -> HttpResponse:
    """Drawn from the number alone: says nothing about an event that is still a draft."""
    return HttpResponse(posters.poster_svg(pk), content_type="image/svg+xml")


@require_safe
@cache_control(public=True, max_age=DAY)
def media(request: HttpRequest, path: str) -> HttpResponseBase:
    """Uploaded posters. What could carry a script is offered as a download, never shown."""
    response = serve(request, path, document_root=str(settings.MEDIA_ROOT))
    if isinstance(response, FileResponse) and response["Content-Type"] not in PICTURES:
        response["Content-Disposition"] = "attachment"
    return response


def shown_event(request: HttpRequest, pk: int) -> Event:
    """The event; a draft only for staff who may see drafts in the admin too."""
    caller = caller_in(request.session)
    if caller and caller.is_staff and request.user.has_perm("ticketing.view_event"):
        return selectors.previewed_event(pk)
    return selectors.public_event(pk)


def seconds_until_next_look(event: Event, now: datetime) -> int | None:
    """How soon an announced event's page is worth loading again."""
    left = event.on_sale_at - now
    if event.state != Event.State.ANNOUNCED or left > NEAR:
        return None
    return int(min(60, max(5, left.total_seconds() + 1)))

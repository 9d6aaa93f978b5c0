"""The public pages: the list of events, one event, posters."""

from datetime import datetime, timedelta

from django.conf import settings
from django.core.exceptions import SuspiciousFileOperation
from django.core.files.storage import default_storage
from django.core.paginator import Paginator
from django.http import FileResponse, Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe
from django.views.static import serve

from ticketing.accounts.selectors import page_caller
from ticketing.core import clock
from ticketing.events import selectors
from ticketing.events.models import Event
from ticketing.events.views import generated_poster

EVENTS_PER_PAGE = 12
LONGEST_SEARCH = 80
DAY = 24 * 3600
IMAGE_TYPES = {"image/jpeg", "image/png", "image/webp", "image/gif", "image/avif"}
# Without JavaScript the page reloads itself, but only shortly before the sale opens.
NEAR = timedelta(minutes=10)


@require_safe
@cache_control(private=True, no_cache=True)
def home(request: HttpRequest) -> HttpResponse:
    search = request.GET.get("q", "").replace("\0", "").strip()[:LONGEST_SEARCH]
    events = selectors.upcoming_events(search=search, now=clock.now())
    page = Paginator(events, EVENTS_PER_PAGE).get_page(request.GET.get("page"))
    return render(request, "ticketing/home.html", {"page": page, "search": search})


@require_safe
@cache_control(private=True, no_cache=True)
def event(request: HttpRequest, pk: int) -> HttpResponse:
    shown, now = selectors.visible_event(pk, page_caller(request)), clock.now()
    grades = selectors.grade_availability(shown)
    context = {
        "event": shown,
        "venue": shown.plan.venue,
        "grades": grades,
        "has_seats": any(grade.total for grade in grades),
        "is_sold_out": selectors.is_sold_out(grades),
        "now": now,
        "refresh_after": seconds_until_refresh(shown, now),
    }
    return render(request, "ticketing/event.html", context)


@require_safe
@cache_control(public=True, max_age=DAY)
def poster(request: HttpRequest, pk: int) -> HttpResponse:
    """Drawn from the id alone, so that it reveals nothing about a draft."""
    return HttpResponse(generated_poster.poster_svg(pk), content_type="image/svg+xml")


@require_safe
@cache_control(public=True, max_age=DAY)
def media(request: HttpRequest, path: str) -> HttpResponseBase:
    """Uploaded posters. File types that could run a script are downloads, never shown."""
    if settings.MEDIA_S3_BUCKET:
        response: HttpResponseBase = _from_bucket(path)
    else:
        response = serve(request, path, document_root=str(settings.MEDIA_ROOT))
    if isinstance(response, FileResponse) and response["Content-Type"] not in IMAGE_TYPES:
        response["Content-Disposition"] = "attachment"
    return response


def _from_bucket(path: str) -> FileResponse:
    try:
        return FileResponse(default_storage.open(path), filename=path.rpartition("/")[2])
    except (FileNotFoundError, SuspiciousFileOperation):
        raise Http404 from None


def seconds_until_refresh(event: Event, now: datetime) -> int | None:
    """After how many seconds the page of an announced event reloads itself; None: not at all."""
    left = event.on_sale_at - now
    if event.state != Event.State.ANNOUNCED or left > NEAR:
        return None
    return int(min(60, max(5, left.total_seconds() + 1)))

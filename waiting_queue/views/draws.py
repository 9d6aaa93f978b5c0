"""The public pages of the draw."""

from django.conf import settings
from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.cache import cache_control
from django.views.decorators.http import require_safe

from ticketing.accounts.selectors import page_caller
from ticketing.core.fast_path.marks import marks_of
from waiting_queue import selectors

# How long browsers and proxies keep the file: of a finished draw, and before it.
FINAL_SECONDS, PROMISE_SECONDS = 3600, 5


@require_safe
@cache_control(private=True, no_cache=True)
def draw(request: HttpRequest, pk: int) -> HttpResponse:
    """Show what will be drawn, or was drawn, and how to verify it."""
    queue, caller = selectors.public_queue(pk), page_caller(request)
    public_draw = selectors.public_draw(queue)
    own_entry = None
    if marks := marks_of(request):
        marks.facts["names_people"] = public_draw.names_people
    elif caller:
        own_entry = selectors.own_entry(queue, person=caller.id, draw=public_draw)
    context = {
        "queue": queue,
        "event": queue.event,
        "venue": queue.event.plan.venue,
        "draw": public_draw,
        "own_entry": own_entry,
        "file_url": settings.SITE_URL + reverse("queue:draw_file", args=[pk]),
    }
    return render(request, "queue/draw.html", context)


@require_safe
def draw_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """Return the published draw as JSON."""
    queue = selectors.public_queue(pk)
    final = selectors.is_draw_final(queue)
    etag = f'"{selectors.draw_version(queue)}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(selectors.draw_file(queue), content_type="application/json")
        response["ETag"] = etag
    patch_cache_control(response, public=True, max_age=FINAL_SECONDS if final else PROMISE_SECONDS)
    return response

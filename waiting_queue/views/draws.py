"""The public pages of the draw."""

from django.http import HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import render
from django.urls import reverse
from django.utils.cache import get_conditional_response, patch_cache_control
from django.views.decorators.http import require_safe

from ticketing.accounts.selectors import caller_in
from waiting_queue import services

# A list that is final is kept for an hour by browsers and proxies, a promise for a moment.
FINAL_SECONDS, PROMISE_SECONDS = 3600, 5


@require_safe
def draw(request: HttpRequest, pk: int) -> HttpResponse:
    """What will be drawn, or was, and how to check it."""
    queue, caller = services.public_queue(pk), caller_in(request.session)
    shown = services.public_draw(queue)
    context = {
        "queue": queue,
        "event": queue.event,
        "venue": queue.event.plan.venue,
        "draw": shown,
        "own": services.own_entry(queue, person=caller.id, draw=shown) if caller else None,
        "file_url": request.build_absolute_uri(reverse("queue:draw_file", args=[pk])),
    }
    return render(request, "queue/draw.html", context)


@require_safe
def draw_file(request: HttpRequest, pk: int) -> HttpResponseBase:
    """The whole list, for programs."""
    queue = services.public_queue(pk)
    final = services.draw_is_over(queue)
    etag = f'"{services.seed_hash(queue.seed)[:16]}-{"final" if final else "promise"}"'
    response = get_conditional_response(request, etag=etag)
    if response is None:
        response = HttpResponse(services.draw_file(queue), content_type="application/json")
        response["ETag"] = etag
    patch_cache_control(response, public=True, max_age=FINAL_SECONDS if final else PROMISE_SECONDS)
    return response

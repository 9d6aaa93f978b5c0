"""JSON for open consoles: missed samples, current figures, and the preview of knobs."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from ticketing.console import services
from ticketing.console.selectors import queue_of
from ticketing.console.services.roles import WATCH
from ticketing.console.views.access import requires_permission
from ticketing.console.views.forms import KnobsForm
from ticketing.core import clock
from waiting_queue import selectors as queues


@requires_permission(WATCH)
def samples(request: HttpRequest, event_id: int) -> HttpResponse:
    """All samples since a second, as the same frame that the websocket sends."""
    queue_of(event_id)
    value = request.GET.get("since", "")
    since = int(value) if value.isdecimal() and len(value) < 19 else 0
    history = services.sample_history(event_id=event_id, since=since)
    return JsonResponse({"type": "history", **history})


@requires_permission(WATCH)
def figures(request: HttpRequest) -> HttpResponse:
    """The newest sample of every running sale, as the same frame that the websocket sends."""
    return JsonResponse({"type": "sales", "sales": services.running_figures()})


@requires_permission(WATCH)
def preview(request: HttpRequest, event_id: int) -> HttpResponse:
    """What these knobs would mean; invalid fields are listed as errors."""
    queue = queue_of(event_id)
    form = KnobsForm(request.GET, instance=queue_of(event_id))
    if not form.is_valid():
        return JsonResponse({"words": [], "warnings": [], "errors": form.errors})
    overview = queues.overview(queue, now=clock.now())
    found = services.preview_knobs(queue, form.changed_knobs, overview)
    return JsonResponse({"words": found.sentences, "warnings": found.warnings, "errors": {}})

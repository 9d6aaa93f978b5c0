"""What consoles ask for without a socket: what they missed, and what a change would mean."""

from django.http import HttpRequest, HttpResponse, JsonResponse

from ticketing.console import services
from ticketing.console.access import for_those_who, queue_of
from ticketing.console.forms import KnobsForm
from ticketing.console.roles import WATCH
from ticketing.core import clock
from waiting_queue import selectors as queues


@for_those_who(WATCH)
def samples(request: HttpRequest, event_id: int) -> HttpResponse:
    """Everything since a second, in the words of the socket."""
    queue_of(event_id)
    asked = request.GET.get("since", "")
    since = int(asked) if asked.isdigit() and len(asked) < 19 else 0
    return JsonResponse({"type": "history", **services.history_of(event_id=event_id, since=since)})


@for_those_who(WATCH)
def figures(request: HttpRequest) -> HttpResponse:
    """The newest sample of every running sale, in the words of the socket."""
    return JsonResponse({"type": "sales", "sales": services.running_figures()})


@for_those_who(WATCH)
def preview(request: HttpRequest, event_id: int) -> HttpResponse:
    """What these knobs would mean; fields that can't be read are named."""
    queue = queue_of(event_id)
    form = KnobsForm(request.GET, instance=queue_of(event_id))
    if not form.is_valid():
        return JsonResponse({"words": [], "warnings": [], "errors": form.errors})
    seen = queues.overview(queue, now=clock.now())
    told = services.preview_of(queue, form.changed_knobs, seen)
    return JsonResponse({"words": told.words, "warnings": told.warnings, "errors": {}})

"""The console of one sale, and the overview of all running sales."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ticketing.console import selectors, services
from ticketing.console.services.roles import WATCH
from ticketing.console.views.access import render_page, requires_permission
from ticketing.console.views.forms import (
    AutopilotForm,
    KnobsForm,
    NoticeForm,
    PauseForm,
    SearchForm,
    SeatForm,
)
from ticketing.console.views.labels import (
    SCRIPT_LABELS,
    SHORTCUTS,
    change_rows,
    minutes_table,
    state_buttons,
)
from ticketing.core import clock
from ticketing.core.admin.pages import operator
from waiting_queue import selectors as queues
from waiting_queue.models import SaleQueue
from waiting_queue.selectors.labels import autopilot_reason, status_badge

RECENT = 8


@requires_permission(WATCH)
def overview(request: HttpRequest) -> HttpResponse:
    """Every running sale, one row each."""
    running = selectors.running_queues()
    known = services.latest_figures([queue.pk for queue in running])
    sales = [(queue, known.get(queue.pk), status_badge(queue)) for queue in running]
    coming = selectors.coming_queues()[:RECENT]
    context = {"sales": sales, "coming": coming, "labels": SCRIPT_LABELS, "now": clock.now()}
    return render_page(request, "overview", _("Running sales"), **context)


@requires_permission(WATCH)
def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Everything about one sale, live; without JavaScript it shows the state when loaded."""
    found = selectors.event_of(event_id)
    queue = SaleQueue.objects.filter(pk=event_id).select_related("event").first()
    context = _queue_context(request, queue) if queue else {}
    return render_page(request, "event", str(found), event=found, queue=queue, **context)


def _queue_context(request: HttpRequest, queue: SaleQueue) -> dict[str, Any]:
    now, user = clock.now(), operator(request)
    overview = queues.overview(queue, now=now)
    history = services.sample_history(event_id=queue.pk)
    names = queues.lane_names(queue.pk) if overview.lanes else {}
    return {
        "figures": services.current_figures(queue, now=now),
        "warnings": queues.queue_warnings(queue, overview),
        "alerts": services.alerts_for(user, now=now),
        "status": queues.sale_status(queue),
        "badge": status_badge(queue),
        "buttons": state_buttons(queue, user),
        "knobs": KnobsForm(instance=queue),
        "notice": NoticeForm(initial={"message": queue.notice}),
        "autopilot": _autopilot_context(queue),
        "search": SearchForm(),
        "freeze": SeatForm(event=queue.event),
        "pause": PauseForm(),
        "shortcuts": SHORTCUTS,
        "appeals": selectors.open_appeals(queue.pk),
        "changes": change_rows(selectors.recent_changes(queue.pk, RECENT)),
        "minutes": minutes_table(history["whole"] or history["seconds"]),
        "labels": SCRIPT_LABELS,
        "now": now,
        "runs": queue.state in selectors.RUNNING,
        "lanes": [(names.get(lane.lane, ""), lane) for lane in overview.lanes],
    }


def _autopilot_context(queue: SaleQueue) -> dict[str, Any]:
    """A rate set by hand switches it off at once here, before the autopilot notices."""
    row = selectors.autopilot_of(queue.pk)
    is_on = row is not None and row.is_on and not services.is_overridden(row)
    status = (
        autopilot_reason(row.why, row.a, row.b) if row and is_on else SCRIPT_LABELS["pilot-off"]
    )
    steps = change_rows(selectors.autopilot_steps(queue.pk, RECENT))
    form = AutopilotForm(instance=row, auto_id="autopilot-%s")
    return {"row": row, "is_on": is_on, "status": status, "steps": steps, "form": form}

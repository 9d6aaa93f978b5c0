"""The console of one sale, and the overview of all that run."""

from typing import Any

from django.http import HttpRequest, HttpResponse
from django.utils.translation import gettext as _

from ticketing.console import selectors, services
from ticketing.console.access import event_of, for_those_who, page
from ticketing.console.forms import AutopilotForm, KnobsForm, SearchForm, SeatForm
from ticketing.console.roles import CLOSE_QUEUE, MOVE_QUEUE, WATCH
from ticketing.console.words import (
    SCRIPT_WORDS,
    change_rows,
    minutes_table,
    state_buttons,
)
from ticketing.core import clock
from ticketing.core.admin.pages import operator
from waiting_queue import services as queues
from waiting_queue.admin.forms import NoticeForm
from waiting_queue.admin.words import pilot_words
from waiting_queue.models import SaleQueue

RECENT = 8


@for_those_who(WATCH)
def overview(request: HttpRequest) -> HttpResponse:
    """Every running sale in one line each."""
    running = selectors.running_queues()
    known = services.last_figures([queue.pk for queue in running])
    sales = [(queue, known.get(queue.pk)) for queue in running]
    coming = selectors.coming_queues()[:RECENT]
    context = {"sales": sales, "coming": coming, "words": SCRIPT_WORDS, "now": clock.now()}
    return page(request, "overview", _("Sales that run now"), **context)


@for_those_who(WATCH)
def event(request: HttpRequest, event_id: int) -> HttpResponse:
    """Everything about one sale, live; works without a script, by loading it again."""
    shown = event_of(event_id)
    queue = SaleQueue.objects.filter(pk=event_id).select_related("event").first()
    context = _about(request, queue) if queue else {}
    return page(request, "event", str(shown), event=shown, queue=queue, **context)


def _about(request: HttpRequest, queue: SaleQueue) -> dict[str, Any]:
    now, who = clock.now(), operator(request)
    seen = queues.overview(queue, now=now)
    history = services.history_of(event_id=queue.pk)
    return {
        "figures": services.figures_now(queue, now=now),
        "warnings": queues.warnings_of(queue, seen),
        "buttons": state_buttons(
            queue, may_move=who.has_perm(MOVE_QUEUE), may_close=who.has_perm(CLOSE_QUEUE)
        ),
        "knobs": KnobsForm(instance=queue),
        "notice": NoticeForm(initial={"message": queue.notice}),
        "pilot": _pilot(queue),
        "search": SearchForm(),
        "freeze": SeatForm(event=queue.event),
        "appeals": selectors.open_appeals(queue.pk),
        "changes": change_rows(selectors.recent_changes(queue.pk, RECENT)),
        "minutes": minutes_table(history["whole"] or history["seconds"]),
        "words": SCRIPT_WORDS,
        "now": now,
        "runs": queue.state in selectors.RUNNING,
    }


def _pilot(queue: SaleQueue) -> dict[str, Any]:
    """A pilot that somebody has just taken over from is off, even if it does not know yet."""
    row = selectors.autopilot_of(queue.pk)
    flies = row is not None and row.is_on and not services.is_taken_over(row)
    thought = pilot_words(row.why, row.a, row.b) if row and flies else SCRIPT_WORDS["pilot-off"]
    steps = change_rows(selectors.autopilot_steps(queue.pk, RECENT))
    form = AutopilotForm(instance=row, auto_id="pilot-%s")
    return {"row": row, "flies": flies, "thought": thought, "steps": steps, "form": form}

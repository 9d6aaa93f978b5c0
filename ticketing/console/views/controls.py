"""The controls of a queue: move it, turn its knobs, write to everyone in line."""

from typing import Any

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from ticketing.console import services
from ticketing.console.access import for_those_who, page, queue_of, require
from ticketing.console.forms import KnobsForm
from ticketing.console.roles import CLOSE_QUEUE, MOVE_QUEUE, SET_KNOBS, TELL_EVERYONE, WATCH
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import operator
from ticketing.core.errors import NotFound
from waiting_queue import services as queues
from waiting_queue.admin.forms import NoticeForm
from waiting_queue.admin.pages import CONSEQUENCES, TAKEN_BACK, TOLD
from waiting_queue.models import SaleQueue

State = SaleQueue.State


@for_those_who(WATCH)
def move(request: HttpRequest, event_id: int, to: str) -> HttpResponse:
    """Says what it would mean and for how many, asks for a reason, then moves the queue."""
    if to not in State:
        raise NotFound()
    require(request, CLOSE_QUEUE if to == State.CLOSED else MOVE_QUEUE)
    queue, state = queue_of(event_id), State(to)
    form = ReasonForm(
        request.POST if request.method == "POST" else None, required=state == State.CLOSED
    )
    if form.is_valid():
        queues.move_queue(event_id=event_id, to=state, **signed(request, form))
        return done(request, event_id, _("It is now: %(state)s.") % {"state": state.label})
    if request.method != "POST":
        SaleQueue(state=queue.state).move_to(state)  # don't ask about what can't be done
    title = _("%(event)s: %(state)s") % {"event": queue, "state": state.label}
    dangerous = state == State.CLOSED
    return ask(request, queue, title, form, CONSEQUENCES[state], dangerous=dangerous)


@for_those_who(SET_KNOBS)
def knobs(request: HttpRequest, event_id: int) -> HttpResponse:
    """Shows what the new knobs would mean; only then they are saved."""
    queue = queue_of(event_id)
    form = KnobsForm(request.POST or None, instance=queue_of(event_id))
    if form.is_valid() and "save" in request.POST:
        turned = {"knobs": form.changed_knobs, **signed(request, form, "why")}
        queues.set_knobs(event_id=event_id, **turned)
        return done(request, event_id, _("The next tick uses the new knobs."))
    preview = None
    if form.is_valid():
        seen = queues.overview(queue, now=clock.now())
        preview = services.preview_of(queue, form.changed_knobs, seen)
    title = _("%(event)s: knobs") % {"event": queue}
    return page(request, "knobs", title, queue=queue, event=queue.event, form=form, preview=preview)


@for_those_who(TELL_EVERYONE)
def tell(request: HttpRequest, event_id: int) -> HttpResponse:
    """Puts up a message for everyone in line, or takes it back."""
    queue = queue_of(event_id)
    posted = request.POST if request.method == "POST" else None
    form = NoticeForm(posted, initial={"message": queue.notice})
    if form.is_valid():
        message = form.cleaned_data["message"]
        queues.tell_everyone(event_id=event_id, message=message, **signed(request, form))
        return done(request, event_id, TOLD if message else TAKEN_BACK)
    title = _("%(event)s: message to everyone in line") % {"event": queue}
    return ask(request, queue, title, form, TOLD)


# -- what all controls share -----------------------------------------------------------------------


def ask(
    request: HttpRequest,
    queue: SaleQueue,
    title: str,
    form: BaseForm,
    consequence: Any,
    *,
    dangerous: bool = False,
    **context: Any,
) -> HttpResponse:
    """The page between a button and its deed: the consequence, and the numbers it is about."""
    figures = services.figures_now(queue, now=clock.now())
    shared = {"queue": queue, "event": queue.event, "form": form, "figures": figures}
    told = {"consequence": consequence, "dangerous": dangerous}
    return page(request, "ask", title, **shared, **told, **context)


def signed(request: HttpRequest, form: BaseForm, field: str = "reason") -> dict[str, Any]:
    return {"by": operator(request), "why": form.cleaned_data[field], "now": clock.now()}


def done(request: HttpRequest, event_id: int, words: Any) -> HttpResponse:
    messages.success(request, words)
    return redirect("console:event", event_id)

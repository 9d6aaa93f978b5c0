"""The controls of a queue: change its state, set its knobs, show a notice to everyone in line."""

from typing import Any

from django.contrib import messages
from django.forms import BaseForm
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _

from ticketing.console import services
from ticketing.console.selectors import queue_of
from ticketing.console.services.roles import (
    CLOSE_QUEUE,
    MOVE_QUEUE,
    SET_KNOBS,
    TELL_EVERYONE,
    WATCH,
)
from ticketing.console.views.access import check_permission, render_page, requires_permission
from ticketing.console.views.forms import KnobsForm, NoticeForm
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import operator
from ticketing.core.errors import NotFound
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue
from waiting_queue.selectors.labels import MOVE_CONSEQUENCES, NOTICE_REMOVED, NOTICE_SET

State = SaleQueue.State


@requires_permission(WATCH)
def move(request: HttpRequest, event_id: int, to: str) -> HttpResponse:
    """Show the consequence and whom it affects, ask for a reason, then change the state."""
    if to not in State:
        raise NotFound()
    check_permission(request, CLOSE_QUEUE if to == State.CLOSED else MOVE_QUEUE)
    queue, state = queue_of(event_id), State(to)
    form = ReasonForm(
        request.POST if request.method == "POST" else None, required=state == State.CLOSED
    )
    if form.is_valid():
        queues.move_queue(event_id=event_id, to=state, **audit_fields(request, form))
        return back_to_console(
            request, event_id, _("It is now: %(state)s.") % {"state": state.label}
        )
    if request.method != "POST":
        SaleQueue(state=queue.state).move_to(state)  # fails if the move is not allowed
    title = _("%(event)s: %(state)s") % {"event": queue, "state": state.label}
    dangerous = state == State.CLOSED
    return confirm_page(request, queue, title, form, MOVE_CONSEQUENCES[state], dangerous=dangerous)


@requires_permission(SET_KNOBS)
def knobs(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show what the new knobs would mean; a second press saves them."""
    queue = queue_of(event_id)
    form = KnobsForm(request.POST or None, instance=queue_of(event_id))
    if form.is_valid() and "save" in request.POST:
        fields = audit_fields(request, form, "why")
        queues.set_knobs(event_id=event_id, knobs=form.changed_knobs, **fields)
        return back_to_console(request, event_id, _("The new settings apply within a second."))
    preview = None
    if form.is_valid():
        overview = queue_selectors.overview(queue, now=clock.now())
        preview = services.preview_knobs(queue, form.changed_knobs, overview)
    title = _("%(event)s: knobs") % {"event": queue}
    context = {"queue": queue, "event": queue.event, "form": form, "preview": preview}
    return render_page(request, "knobs", title, **context)


@requires_permission(TELL_EVERYONE)
def notice(request: HttpRequest, event_id: int) -> HttpResponse:
    """Show a notice to everyone in line, or remove it."""
    queue = queue_of(event_id)
    posted = request.POST if request.method == "POST" else None
    form = NoticeForm(posted, initial={"message": queue.notice})
    if form.is_valid():
        message = form.cleaned_data["message"]
        queues.set_notice(event_id=event_id, message=message, **audit_fields(request, form))
        return back_to_console(request, event_id, NOTICE_SET if message else NOTICE_REMOVED)
    title = _("%(event)s: message to everyone in line") % {"event": queue}
    return confirm_page(request, queue, title, form, NOTICE_SET)


# -- shared by the controls ------------------------------------------------------------------------


def confirm_page(
    request: HttpRequest,
    queue: SaleQueue,
    title: str,
    form: BaseForm,
    consequence: Any,
    *,
    dangerous: bool = False,
    **context: Any,
) -> HttpResponse:
    """Ask for confirmation, with the consequence and the current figures of the sale."""
    context |= {"queue": queue, "event": queue.event, "form": form}
    context |= {"consequence": consequence, "dangerous": dangerous}
    context["figures"] = services.current_figures(queue, now=clock.now())
    return render_page(request, "confirm", title, **context)


def audit_fields(request: HttpRequest, form: BaseForm, field: str = "reason") -> dict[str, Any]:
    """Who does it, why and when, as the services want it for the audit log."""
    return {"by": operator(request), "why": form.cleaned_data[field], "now": clock.now()}


def back_to_console(request: HttpRequest, event_id: int, message: Any) -> HttpResponse:
    messages.success(request, message)
    return redirect("console:event", event_id)

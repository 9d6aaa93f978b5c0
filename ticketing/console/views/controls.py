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
    SET_KNOBS,
    TELL_EVERYONE,
    WATCH,
)
from ticketing.console.views.access import check_permission, render_page, requires_permission
from ticketing.console.views.forms import KnobsForm, NoticeForm, PauseForm
from ticketing.console.views.labels import PAUSES, move_permission, needs_manager
from ticketing.core import clock
from ticketing.core.admin.forms import CloseForm, ReasonForm
from ticketing.core.admin.pages import operator
from ticketing.core.errors import NotFound
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue
from waiting_queue.selectors.labels import (
    MOVE_CONSEQUENCES,
    MOVE_LABELS,
    NOTICE_REMOVED,
    NOTICE_SET,
    move_label,
)

State = SaleQueue.State


@requires_permission(WATCH)
def move(request: HttpRequest, event_id: int, to: str) -> HttpResponse:
    """Show the consequence and whom it affects, ask for a reason, then move sale and line."""
    if to not in MOVE_LABELS:
        raise NotFound()
    queue, dangerous = queue_of(event_id), needs_manager(to)
    check_permission(request, move_permission(queue, to))
    posted = request.POST if request.method == "POST" else None
    form = _move_form(to)(posted, required=dangerous)
    if form.is_valid():
        ends = form.cleaned_data.get("then") != CloseForm.OPEN_SALE
        queues.move_sale(event_id=event_id, to=to, ends=ends, **audit_fields(request, form))
        status = queue_selectors.STATUSES[queue_selectors.sale_status(queue_of(event_id))]
        return back_to_console(request, event_id, _("It is now: %(state)s.") % {"state": status})
    if request.method != "POST":
        queue_selectors.require_sale_move(queue, to)
    title = _("%(event)s: %(state)s") % {"event": queue, "state": move_label(queue, to)}
    needs_approval = queue_selectors.move_needs_approval(queue, to, operator(request))
    context = {"dangerous": dangerous, "needs_approval": needs_approval}
    return confirm_page(request, queue, title, form, MOVE_CONSEQUENCES[to], **context)


def _move_form(to: str) -> type[ReasonForm]:
    if to == State.CLOSED:
        return CloseForm
    return PauseForm if to in PAUSES else ReasonForm


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
    context["status"] = queue_selectors.STATUSES[queue_selectors.sale_status(queue)]
    context["figures"] = services.current_figures(queue, now=clock.now())
    return render_page(request, "confirm", title, **context)


def audit_fields(request: HttpRequest, form: BaseForm, field: str = "reason") -> dict[str, Any]:
    """Who does it, why and when, as the services want it for the audit log."""
    return {"by": operator(request), "why": form.cleaned_data[field], "now": clock.now()}


def back_to_console(request: HttpRequest, event_id: int, message: Any) -> HttpResponse:
    messages.success(request, message)
    return redirect("console:event", event_id)

"""Requests under the two-person rule: who asks for what, and the answer of a second person."""

from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from ticketing.accounts.services import require_fresh
from ticketing.console import selectors, services
from ticketing.console.services.roles import WATCH
from ticketing.console.views.access import render_page, requires_permission
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import operator
from ticketing.core.errors import DomainError
from ticketing.events.models import Approval
from waiting_queue import selectors as queues
from waiting_queue.models import SaleQueue

LISTED = 50
APPROVE = "approve"


@requires_permission(WATCH)
def approvals(request: HttpRequest) -> HttpResponse:
    """Those that wait first, then the newest."""
    now = clock.now()
    waiting = list(selectors.open_approvals(now))
    answered = selectors.approvals().exclude(pk__in=[it.pk for it in waiting])[:LISTED]
    context = {"waiting": waiting, "answered": answered}
    return render_page(request, "approvals", _("Approvals"), **context)


@requires_permission(WATCH)
def approval(request: HttpRequest, approval_id: int) -> HttpResponse:
    """Show what was asked for; approving it takes a fresh log-in, and carries it out."""
    found, user, now = selectors.approval_of(approval_id), operator(request), clock.now()
    form = ReasonForm(request.POST if request.method == "POST" else None)
    if form.is_valid():
        return _answer(request, found, form.cleaned_data["reason"])
    is_own = found.asked_by_id == user.pk
    context: dict[str, Any] = {
        "approval": found,
        "wish": wish_label(found),
        "form": form,
        "is_open": found.is_open(now),
        "is_late": found.state == Approval.State.ASKED and not found.is_open(now),
        "is_own": is_own,
        "may_approve": not is_own and services.may_answer(user, found),
        "answer_reason": selectors.answer_reason(found),
        "roles": ", ".join(services.roles_that_may_answer(found)),
        "status": _status(found),
    }
    title = _("%(event)s: approval %(number)s") % {"event": found.event, "number": found.pk}
    return render_page(request, "approval", title, event=found.event, **context)


def _answer(request: HttpRequest, approval: Approval, why: str) -> HttpResponse:
    by, now = operator(request), clock.now()
    require_fresh(request.session)
    try:
        if request.POST.get("answer") == APPROVE:
            services.approve(approval_id=approval.pk, by=by, now=now)
            messages.success(request, _("Approved, and carried out."))
        else:
            services.refuse(approval_id=approval.pk, by=by, why=why, now=now)
            messages.success(request, _("The request is off. Nothing was changed."))
    except DomainError as refusal:
        messages.error(request, str(refusal))
    return redirect("console:approval", approval.pk)


def wish_label(approval: Approval) -> str:
    """What exactly will happen."""
    match approval.wish:
        case {"ends": True}:
            return _("Close the line and end the sale: nobody can buy.")
        case {"ends": False}:
            return _("Close the line; the sale goes on without it.")
        case {"to": "cancelled"}:
            return _("Cancel the event for good and refund all orders.")
        case {"to": _state}:
            return _("End the sale and close its line.")
        case {"seats": list(seats)}:
            count = len(seats)
            text = ngettext("Freeze %(count)s seat.", "Freeze %(count)s seats.", count)
            return text % {"count": count}
    return _("Refund all orders in full and release their seats.")


def _status(approval: Approval) -> Any:
    queue = SaleQueue.objects.filter(pk=approval.event_id).select_related("event").first()
    if queue is None:
        return approval.event.get_state_display()
    return queues.STATUSES[queues.sale_status(queue)]

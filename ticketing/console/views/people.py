"""One person in a sale: their place and history, and the actions on them."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.accounts.models import User
from ticketing.console import selectors
from ticketing.console.selectors import queue_of
from ticketing.console.services.roles import (
    ADD_BYPASS,
    BLOCK_PEOPLE,
    END_BYPASS,
    FIND_PEOPLE,
    MOVE_PEOPLE,
    WATCH,
)
from ticketing.console.views.access import check_permission, render_page, requires_permission
from ticketing.console.views.controls import audit_fields, back_to_console, confirm_page
from ticketing.console.views.forms import SearchForm
from ticketing.console.views.labels import change_rows
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import operator, require_post
from ticketing.core.errors import NotFound
from waiting_queue import selectors as queue_selectors
from waiting_queue import services as queues
from waiting_queue.models import BlockAppeal
from waiting_queue.selectors.labels import PERSON_STATES

ACTION_PERMISSIONS = {
    "kick": MOVE_PEOPLE,
    "block": BLOCK_PEOPLE,
    "unblock": BLOCK_PEOPLE,
    "demote": BLOCK_PEOPLE,
    "restore": BLOCK_PEOPLE,
    "ask": BLOCK_PEOPLE,
    "unask": BLOCK_PEOPLE,
    "bypass": ADD_BYPASS,
    "end_bypass": END_BYPASS,
}


@requires_permission(FIND_PEOPLE)
def find(request: HttpRequest, event_id: int) -> HttpResponse:
    """Find by e-mail or queue number; by POST, so that addresses stay out of logs."""
    queue = queue_of(event_id)
    form = SearchForm(request.POST or None)
    if form.is_valid():
        found = queue_selectors.user_by_email_or_number(
            event_id=event_id, text=form.cleaned_data["who"]
        )
        return redirect("console:person", event_id, found.pk)
    title = _("%(event)s: find a person") % {"event": queue}
    return render_page(request, "find", title, queue=queue, event=queue.event, form=form)


@requires_permission(FIND_PEOPLE)
def person(request: HttpRequest, event_id: int, person_id: int) -> HttpResponse:
    queue, user = queue_of(event_id), get_object_or_404(User, pk=person_id)
    found = queue_selectors.person_in_queue(event_id=event_id, user=user, now=clock.now())
    history = selectors.person_history(event_id=event_id, user=user)
    title = _("%(event)s: %(person)s") % {"event": queue, "person": user}
    context: dict[str, Any] = {"queue": queue, "event": queue.event, "found": found}
    context |= {"history": history, "changes": change_rows(history.changes)}
    context["is_verified"] = user.birth_year > 0
    context["is_asked"] = str(person_id) in queues.people_asked(event_id)
    where = PERSON_STATES.get(found.standing.state, found.standing.state)
    return render_page(request, "person", title, where=where, **context)


@requires_permission(WATCH)
def person_action(request: HttpRequest, event_id: int, person_id: int, action: str) -> HttpResponse:
    """Kick, block or demote a person or let them in, with a reason, and undo it."""
    if action not in ACTION_PERMISSIONS:
        raise NotFound()
    check_permission(request, ACTION_PERMISSIONS[action])
    queue, user = queue_of(event_id), get_object_or_404(User, pk=person_id)
    act = queues.PERSON_ACTIONS[action]
    form = ReasonForm(request.POST if request.method == "POST" else None, required=act.needs_reason)
    if form.is_valid():
        act.service(event_id=event_id, person=str(person_id), **audit_fields(request, form))
        messages.success(request, _("Done: %(person)s.") % {"person": user})
        return redirect("console:person", event_id, person_id)
    title = _("%(event)s: %(person)s") % {"event": queue, "person": user}
    history = selectors.person_history(event_id=event_id, user=user)
    return confirm_page(
        request, queue, title, form, act.consequence, dangerous=act.is_dangerous, history=history
    )


ANSWERS: dict[str, tuple[Callable[..., Any], Any]] = {
    "lift": (queues.lift_appeal, gettext_lazy("The appeal is granted.")),
    "refuse": (queues.refuse_appeal, gettext_lazy("The appeal is refused.")),
}


@requires_permission(BLOCK_PEOPLE)
def appeal(request: HttpRequest, event_id: int, appeal_id: int, answer: str) -> HttpResponse:
    """Answer an appeal; the person will read the answer."""
    require_post(request)
    if answer not in ANSWERS:
        raise NotFound()
    appeal = get_object_or_404(BlockAppeal, pk=appeal_id, queue_id=event_id)
    service, message = ANSWERS[answer]
    text = request.POST.get("answer", "")
    service(appeal_id=appeal.pk, answer=text, by=operator(request), now=clock.now())
    return back_to_console(request, event_id, message)

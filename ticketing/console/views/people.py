"""One person in a sale: where they are, what happened to them, and what can be done about it."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, redirect
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.accounts.models import User
from ticketing.console import selectors
from ticketing.console.access import for_those_who, page, queue_of, require
from ticketing.console.forms import SearchForm
from ticketing.console.roles import BLOCK_PEOPLE, FIND_PEOPLE, MOVE_PEOPLE, WATCH
from ticketing.console.views.controls import ask, done, signed
from ticketing.console.words import change_rows
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import operator, require_post
from ticketing.core.errors import NotFound
from waiting_queue import services as queues
from waiting_queue.admin.pages import DEEDS
from waiting_queue.admin.words import PLACES
from waiting_queue.models import BlockAppeal

NEEDED = {"kick": MOVE_PEOPLE, "block": BLOCK_PEOPLE, "unblock": BLOCK_PEOPLE}


@for_those_who(FIND_PEOPLE)
def find(request: HttpRequest, event_id: int) -> HttpResponse:
    """By e-mail or number in line; by POST, so that addresses stay out of logs."""
    queue = queue_of(event_id)
    form = SearchForm(request.POST or None)
    if form.is_valid():
        found = queues.person_called(event_id=event_id, name=form.cleaned_data["who"])
        return redirect("console:person", event_id, found.pk)
    title = _("%(event)s: find a person") % {"event": queue}
    return page(request, "find", title, queue=queue, event=queue.event, form=form)


@for_those_who(FIND_PEOPLE)
def person(request: HttpRequest, event_id: int, person_id: int) -> HttpResponse:
    queue, user = queue_of(event_id), get_object_or_404(User, pk=person_id)
    found = queues.find_person(event_id=event_id, user=user, now=clock.now())
    story = selectors.story_of(event_id=event_id, user=user)
    title = _("%(event)s: %(person)s") % {"event": queue, "person": user}
    context: dict[str, Any] = {"queue": queue, "event": queue.event, "found": found}
    context |= {"story": story, "changes": change_rows(story.changes)}
    where = PLACES.get(found.standing.state, found.standing.state)
    return page(request, "person", title, where=where, **context)


@for_those_who(WATCH)
def deed(request: HttpRequest, event_id: int, person_id: int, deed: str) -> HttpResponse:
    """Moves somebody out, blocks them or lets them in again, with a reason."""
    if deed not in NEEDED:
        raise NotFound()
    require(request, NEEDED[deed])
    queue, user = queue_of(event_id), get_object_or_404(User, pk=person_id)
    do, consequence, explained = DEEDS[deed]
    form = ReasonForm(request.POST if request.method == "POST" else None, required=explained)
    if form.is_valid():
        do(event_id=event_id, person=str(person_id), **signed(request, form))
        messages.success(request, _("Done: %(person)s.") % {"person": user})
        return redirect("console:person", event_id, person_id)
    title = _("%(event)s: %(person)s") % {"event": queue, "person": user}
    story = selectors.story_of(event_id=event_id, user=user)
    dangerous = deed != "unblock"
    return ask(request, queue, title, form, consequence, dangerous=dangerous, story=story)


ANSWERS: dict[str, tuple[Callable[..., Any], Any]] = {
    "lift": (queues.lift_appeal, gettext_lazy("The block is lifted.")),
    "refuse": (queues.refuse_appeal, gettext_lazy("The appeal is refused; the block stays.")),
}


@for_those_who(BLOCK_PEOPLE)
def appeal(request: HttpRequest, event_id: int, appeal_id: int, answer: str) -> HttpResponse:
    """Answers what a blocked person wrote; they read the answer."""
    require_post(request)
    if answer not in ANSWERS:
        raise NotFound()
    appeal = get_object_or_404(BlockAppeal, pk=appeal_id, queue_id=event_id)
    do, words = ANSWERS[answer]
    typed = request.POST.get("answer", "")
    do(appeal_id=appeal.pk, answer=typed, by=operator(request), now=clock.now())
    return done(request, event_id, words)

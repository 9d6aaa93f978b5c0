"""The buttons of a queue: move it, rebuild it, tell everyone, find somebody and move them out."""

from collections.abc import Callable
from typing import Any

from django.contrib import messages
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import PagesAdmin, operator
from ticketing.core.errors import NotFound
from waiting_queue import services
from waiting_queue.admin.forms import EmailForm, NoticeForm
from waiting_queue.admin.words import PLACES
from waiting_queue.errors import QueueOver
from waiting_queue.models import SaleQueue

State = SaleQueue.State
CONSEQUENCES = {
    State.LOBBY: gettext_lazy("People gather from now on, without order, until the queue opens."),
    State.OPEN: gettext_lazy(
        "People are called from now on. A lobby is drawn first; whoever comes later is behind it."
    ),
    State.PAUSED: gettext_lazy("Nobody is called. People may still join, and those inside go on."),
    State.DRAINING: gettext_lazy("Nobody can join any more. Those in the line are still called."),
    State.CLOSED: gettext_lazy(
        "Everybody loses their place at once, those inside too. It can't be opened again."
    ),
}
REBUILD = gettext_lazy(
    "The line is taken down and put up again from the journal, everybody with their number. "
    "For a moment nobody can join. Calls and passes start anew."
)
TOLD = gettext_lazy("Everyone in line reads your message within seconds.")
TAKEN_BACK = gettext_lazy("There is no message any more.")
# What is done to a person: the service, the question, whether it must be explained.
Deed = tuple[Callable[..., Any], Any, bool]
DEEDS: dict[str, Deed] = {
    "kick": (
        services.kick,
        gettext_lazy("They lose their place and may join again, behind everybody."),
        False,
    ),
    "block": (
        services.block,
        gettext_lazy("They lose their place and can't join again. They read your reason."),
        True,
    ),
    "unblock": (services.unblock, gettext_lazy("They may join again, behind everybody."), False),
}


class QueuePages(PagesAdmin):
    def get_urls(self) -> list[URLPattern]:
        person = "<int:pk>/people/<int:person>/<slug:deed>/"
        return [
            self.route("<int:pk>/move/<slug:to>/", self.move_view, "salequeue_move"),
            self.route("<int:pk>/rebuild/", self.rebuild_view, "salequeue_rebuild"),
            self.route("<int:pk>/tell/", self.tell_view, "salequeue_tell"),
            self.route("<int:pk>/people/", self.people_view, "salequeue_people"),
            self.route(person, self.person_view, "salequeue_person"),
            *super().get_urls(),
        ]

    def move_view(self, request: HttpRequest, pk: int, to: str) -> HttpResponse:
        """Says what it would mean, asks for a reason, then moves the queue."""
        if to not in State:
            raise NotFound()
        queue, state = self.changeable(request, pk), State(to)
        if request.method != "POST":
            SaleQueue(state=queue.state).move_to(state)  # don't ask about what can't be done
        form = ReasonForm(request.POST or None, required=state == State.CLOSED)
        if form.is_valid():
            services.move_queue(event_id=pk, to=state, **self._signed(request, form))
            self._done(request, queue, _("It is now: %(state)s.") % {"state": state.label})
            return self.back_to(queue)
        title = _("%(event)s: %(state)s") % {"event": queue, "state": state.label}
        return self._ask(request, queue, title, form, CONSEQUENCES[state], state == State.CLOSED)

    def rebuild_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        queue = self.changeable(request, pk)
        form = ReasonForm(request.POST or None, required=True)
        if form.is_valid():
            count = services.restore_line(event_id=pk, **self._signed(request, form))
            self._done(request, queue, _("%(count)s people are known again.") % {"count": count})
            return self.back_to(queue)
        title = _("%(event)s: rebuild the line") % {"event": queue}
        return self._ask(request, queue, title, form, REBUILD, True)

    def tell_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Shows the message that is up, and puts up another or none."""
        queue = self.changeable(request, pk)
        if queue.state == State.CLOSED:
            raise QueueOver()
        form = NoticeForm(request.POST or None, initial={"message": queue.notice})
        if form.is_valid():
            message = form.cleaned_data["message"]
            services.tell_everyone(event_id=pk, message=message, **self._signed(request, form))
            self._done(request, queue, TOLD if message else TAKEN_BACK)
            return self.back_to(queue)
        title = _("%(event)s: message to everyone in line") % {"event": queue}
        return self.page(request, "tell", title, queue=queue, form=form)

    def people_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Looks somebody up; by POST, so that addresses stay out of logs."""
        queue = self.changeable(request, pk)
        form, found = EmailForm(request.POST or None), None
        if form.is_valid():
            user = services.person_with_email(form.cleaned_data["email"])
            found = services.find_person(event_id=pk, user=user, now=clock.now())
        title = _("%(event)s: find a person") % {"event": queue}
        where = PLACES.get(found.standing.state) if found else ""
        return self.page(request, "people", title, queue=queue, form=form, found=found, where=where)

    def person_view(self, request: HttpRequest, pk: int, person: int, deed: str) -> HttpResponse:
        """Moves somebody out, or lets them in again, with a reason."""
        if deed not in DEEDS:
            raise NotFound()
        queue, user = self.changeable(request, pk), get_object_or_404(User, pk=person)
        do, consequence, explained = DEEDS[deed]
        form = ReasonForm(request.POST or None, required=explained)
        if form.is_valid():
            do(event_id=pk, person=str(person), **self._signed(request, form))
            self._done(request, queue, _("Done: %(person)s.") % {"person": user})
            return self.back_to(queue)
        title = _("%(event)s: %(person)s") % {"event": queue, "person": user}
        return self._ask(request, queue, title, form, consequence, deed != "unblock")

    def _ask(
        self,
        request: HttpRequest,
        queue: SaleQueue,
        title: str,
        form: ReasonForm,
        consequence: Any,
        dangerous: bool,
    ) -> HttpResponse:
        seen = services.overview(queue, now=clock.now())
        context = {"queue": queue, "form": form, "consequence": consequence, "seen": seen}
        return self.page(request, "confirm", title, dangerous=dangerous, **context)

    def _signed(self, request: HttpRequest, form: ReasonForm) -> dict[str, Any]:
        return {"by": operator(request), "why": form.cleaned_data["reason"], "now": clock.now()}

    def _done(self, request: HttpRequest, queue: SaleQueue, words: Any) -> None:
        self.message_user(request, f"{queue}: {words}", messages.SUCCESS)

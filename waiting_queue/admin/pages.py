"""The queue's own admin pages: move, rebuild, message to everyone, people."""

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
from waiting_queue import selectors, services
from waiting_queue.admin.forms import EmailForm, NoticeForm
from waiting_queue.errors import QueueOver
from waiting_queue.models import SaleQueue
from waiting_queue.selectors.labels import (
    MOVE_CONSEQUENCES,
    NOTICE_REMOVED,
    NOTICE_SET,
    PERSON_STATES,
)

State = SaleQueue.State
REBUILD_CONSEQUENCE = gettext_lazy(
    "The line is taken down and put up again from the journal, everybody with their number. "
    "For a moment nobody can join. Calls and passes start anew."
)


class QueuePages(PagesAdmin):
    def get_urls(self) -> list[URLPattern]:
        person = "<int:pk>/people/<int:person>/<slug:action>/"
        return [
            self.route("<int:pk>/move/<slug:to>/", self.move_view, "salequeue_move"),
            self.route("<int:pk>/rebuild/", self.rebuild_view, "salequeue_rebuild"),
            self.route("<int:pk>/tell/", self.notice_view, "salequeue_tell"),
            self.route("<int:pk>/people/", self.people_view, "salequeue_people"),
            self.route(person, self.person_view, "salequeue_person"),
            *super().get_urls(),
        ]

    def move_view(self, request: HttpRequest, pk: int, to: str) -> HttpResponse:
        """Show the consequence, ask for a reason, then move the queue."""
        if to not in State:
            raise NotFound()
        queue, state = self.changeable(request, pk), State(to)
        if request.method != "POST":
            SaleQueue(state=queue.state).move_to(state)  # refuse an illegal move before asking
        form = ReasonForm(request.POST or None, required=state == State.CLOSED)
        if form.is_valid():
            services.move_queue(event_id=pk, to=state, **self._audit_fields(request, form))
            self._success(request, queue, _("It is now: %(state)s.") % {"state": state.label})
            return self.back_to(queue)
        title = _("%(event)s: %(state)s") % {"event": queue, "state": state.label}
        return self._confirm(
            request, queue, title, form, MOVE_CONSEQUENCES[state], state == State.CLOSED
        )

    def rebuild_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        queue = self.changeable(request, pk)
        form = ReasonForm(request.POST or None, required=True)
        if form.is_valid():
            count = services.rebuild_queue_on_request(
                event_id=pk, **self._audit_fields(request, form)
            )
            self._success(request, queue, _("%(count)s people are known again.") % {"count": count})
            return self.back_to(queue)
        title = _("%(event)s: rebuild the line") % {"event": queue}
        return self._confirm(request, queue, title, form, REBUILD_CONSEQUENCE, True)

    def notice_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Show the message to everyone in line, and replace or remove it."""
        queue = self.changeable(request, pk)
        if queue.state == State.CLOSED:
            raise QueueOver()
        form = NoticeForm(request.POST or None, initial={"message": queue.notice})
        if form.is_valid():
            message = form.cleaned_data["message"]
            services.set_notice(event_id=pk, message=message, **self._audit_fields(request, form))
            self._success(request, queue, NOTICE_SET if message else NOTICE_REMOVED)
            return self.back_to(queue)
        title = _("%(event)s: message to everyone in line") % {"event": queue}
        return self.page(request, "notice", title, queue=queue, form=form)

    def people_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Look somebody up; by POST, so that addresses stay out of the logs."""
        queue = self.changeable(request, pk)
        form, person = EmailForm(request.POST or None), None
        state_label: Any = ""
        if form.is_valid():
            user = selectors.user_with_email(form.cleaned_data["email"])
            person = selectors.person_in_queue(event_id=pk, user=user, now=clock.now())
            state_label = PERSON_STATES.get(person.standing.state, "")
        title = _("%(event)s: find a person") % {"event": queue}
        context = {"queue": queue, "form": form, "person": person, "state_label": state_label}
        return self.page(request, "people", title, **context)

    def person_view(self, request: HttpRequest, pk: int, person: int, action: str) -> HttpResponse:
        """Kick, block or unblock somebody, with a reason."""
        if action not in services.PERSON_ACTIONS:
            raise NotFound()
        queue, user = self.changeable(request, pk), get_object_or_404(User, pk=person)
        chosen = services.PERSON_ACTIONS[action]
        form = ReasonForm(request.POST or None, required=chosen.needs_reason)
        if form.is_valid():
            chosen.service(event_id=pk, person=str(person), **self._audit_fields(request, form))
            self._success(request, queue, _("Done: %(person)s.") % {"person": user})
            return self.back_to(queue)
        title = _("%(event)s: %(person)s") % {"event": queue, "person": user}
        return self._confirm(request, queue, title, form, chosen.consequence, action != "unblock")

    def _confirm(
        self,
        request: HttpRequest,
        queue: SaleQueue,
        title: str,
        form: ReasonForm,
        consequence: Any,
        dangerous: bool,
    ) -> HttpResponse:
        overview = selectors.overview(queue, now=clock.now())
        context = {"queue": queue, "form": form, "consequence": consequence, "overview": overview}
        return self.page(request, "confirm", title, dangerous=dangerous, **context)

    def _audit_fields(self, request: HttpRequest, form: ReasonForm) -> dict[str, Any]:
        return {"by": operator(request), "why": form.cleaned_data["reason"], "now": clock.now()}

    def _success(self, request: HttpRequest, queue: SaleQueue, text: Any) -> None:
        self.message_user(request, f"{queue}: {text}", messages.SUCCESS)

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
from ticketing.core.admin.forms import CloseForm, ReasonForm
from ticketing.core.admin.pages import operator
from ticketing.core.errors import NotFound
from waiting_queue import selectors, services
from waiting_queue.admin.forms import AnnouncementForm, EmailForm, NoticeForm, PublicValueForm
from waiting_queue.admin.groups import GroupPages
from waiting_queue.errors import PublicValueNotAnnounced, QueueOver
from waiting_queue.models import SaleQueue
from waiting_queue.selectors.labels import (
    MOVE_CONSEQUENCES,
    MOVE_LABELS,
    NOTICE_REMOVED,
    NOTICE_SET,
    PERSON_STATES,
    STATUSES,
    move_label,
)

State = SaleQueue.State
# Everybody in the line is sent away: needs a reason.
DANGEROUS = (State.CLOSED, State.SCHEDULED)
REBUILD_CONSEQUENCE = gettext_lazy(
    "The line is taken down and put up again from the journal, everybody with their number. "
    "For a moment nobody can join. Calls and passes start anew."
)


class QueuePages(GroupPages):
    def get_urls(self) -> list[URLPattern]:
        person = "<int:pk>/people/<int:person>/<slug:action>/"
        return [
            self.route("<int:pk>/move/<slug:to>/", self.move_view, "salequeue_move"),
            self.route("<int:pk>/rebuild/", self.rebuild_view, "salequeue_rebuild"),
            self.route("<int:pk>/tell/", self.notice_view, "salequeue_tell"),
            self.route("<int:pk>/announce/", self.announcement_view, "salequeue_announce"),
            self.route("<int:pk>/public-value/", self.public_value_view, "salequeue_public_value"),
            self.route("<int:pk>/people/", self.people_view, "salequeue_people"),
            self.route(person, self.person_view, "salequeue_person"),
            *super().get_urls(),
        ]

    def move_view(self, request: HttpRequest, pk: int, to: str) -> HttpResponse:
        """Show the consequence, ask for a reason, then move the sale and its line."""
        if to not in MOVE_LABELS:
            raise NotFound()
        queue = self.changeable(request, pk)
        if request.method != "POST":
            selectors.require_sale_move(queue, to)
        form = (CloseForm if to == State.CLOSED else ReasonForm)(
            request.POST or None, required=to in DANGEROUS
        )
        if form.is_valid():
            ends = form.cleaned_data.get("then") != CloseForm.OPEN_SALE
            services.move_sale(event_id=pk, to=to, ends=ends, **self._audit_fields(request, form))
            queue = SaleQueue.objects.select_related("event").get(pk=pk)
            status = STATUSES[selectors.sale_status(queue)]
            self._success(request, queue, _("It is now: %(state)s.") % {"state": status})
            return self.back_to(queue)
        title = _("%(event)s: %(state)s") % {"event": queue, "state": move_label(queue, to)}
        return self._confirm(
            request,
            queue,
            title,
            form,
            MOVE_CONSEQUENCES[to],
            dangerous=to in DANGEROUS,
            needs_approval=selectors.move_needs_approval(queue, to, operator(request)),
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

    def announcement_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Announce which public value takes part in the draw."""
        queue = self.changeable(request, pk)
        source = queue.public_value_source
        form = AnnouncementForm(request.POST or None, initial={"public_value_source": source})
        if form.is_valid():
            source, audit = (
                form.cleaned_data["public_value_source"],
                self._audit_fields(request, form),
            )
            services.announce_public_value(event_id=pk, source=source, **audit)
            self._success(request, queue, _("The page of the draw says so from now on."))
            return self.back_to(queue)
        title = _("%(event)s: public value of the draw") % {"event": queue}
        return self.page(request, "public_value", title, queue=queue, form=form)

    def public_value_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Enter the public value that was announced."""
        queue = self.changeable(request, pk)
        if not queue.public_value_source:
            raise PublicValueNotAnnounced()
        form = PublicValueForm(request.POST or None)
        if form.is_valid():
            value, audit = form.cleaned_data["public_value"], self._audit_fields(request, form)
            services.enter_public_value(event_id=pk, value=value, **audit)
            self._success(request, queue, _("The page of the draw shows it from now on."))
            return self.back_to(queue)
        title = _("%(event)s: public value of the draw") % {"event": queue}
        return self.page(request, "public_value", title, queue=queue, form=form)

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
        """Kick, block, demote somebody or let them in, with a reason, and undo it."""
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
        return self._confirm(request, queue, title, form, chosen.consequence, chosen.is_dangerous)

    def _confirm(
        self,
        request: HttpRequest,
        queue: SaleQueue,
        title: str,
        form: ReasonForm,
        consequence: Any,
        dangerous: bool,
        **context: Any,
    ) -> HttpResponse:
        overview = selectors.overview(queue, now=clock.now())
        context |= {"queue": queue, "form": form, "consequence": consequence, "overview": overview}
        context["status"] = STATUSES[selectors.sale_status(queue)]
        return self.page(request, "confirm", title, dangerous=dangerous, **context)

    def _audit_fields(self, request: HttpRequest, form: ReasonForm) -> dict[str, Any]:
        return {"by": operator(request), "why": form.cleaned_data["reason"], "now": clock.now()}

    def _success(self, request: HttpRequest, queue: SaleQueue, text: Any) -> None:
        self.message_user(request, f"{queue}: {text}", messages.SUCCESS)

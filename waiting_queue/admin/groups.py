"""Admin pages for groups of people: demotion, and the list of those who need not wait."""

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.urls import URLPattern
from django.utils.translation import gettext as _

from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import PagesAdmin, operator
from ticketing.core.errors import NotFound
from waiting_queue import selectors, services
from waiting_queue.admin.forms import BypassForm, DemotionForm
from waiting_queue.errors import NobodyToMove
from waiting_queue.models import QueueBypass

LIST = "admin:queue_queuebypass_changelist"


class GroupPages(PagesAdmin):
    """A page of the queue's admin."""

    def get_urls(self) -> list[URLPattern]:
        demotion = self.route("<int:pk>/demote/", self.demotion_view, "salequeue_demote")
        return [demotion, *super().get_urls()]

    def demotion_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Move a group to the end of the line; by POST, so that addresses stay out of the logs."""
        queue = self.changeable(request, pk)
        form = DemotionForm(request.POST or None, request.FILES or None, required=True)
        if form.is_valid():
            listed = selectors.people_listed(event_id=pk, text=form.cleaned_data["people"])
            moved = services.demote_people(
                event_id=pk,
                people=listed.people,
                by=operator(request),
                why=form.cleaned_data["reason"],
                now=clock.now(),
            )
            if not moved:
                raise NobodyToMove()
            text = _("%(moved)s of %(listed)s people were moved to the end of the line.")
            counts = {"moved": len(moved), "listed": len(listed.people) + len(listed.unknown)}
            self.message_user(request, text % counts, messages.SUCCESS)
            if listed.unknown:
                names = ", ".join(listed.unknown[:20])
                text = _("Nobody is known by these: %(names)s") % {"names": names}
                self.message_user(request, text, messages.WARNING)
            return self.back_to(queue)
        title = _("%(event)s: move a group to the end of the line") % {"event": queue}
        return self.page(request, "demotion", title, queue=queue, form=form)


@admin.register(QueueBypass)
class QueueBypassAdmin(PagesAdmin):
    """People who need not wait; added and ended with a reason, never edited."""

    actions = None
    list_display = ("person", "queue", "reason", "at", "by", "ended_at")
    list_select_related = ("person", "queue__event", "by")
    list_filter = (("ended_at", admin.EmptyFieldListFilter),)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("person__email", "reason", "queue__event__title_ko", "queue__event__title_en")

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def get_urls(self) -> list[URLPattern]:
        end = self.route("<int:pk>/end/", self.end_view, "queuebypass_end")
        return [end, *super().get_urls()]

    def get_readonly_fields(
        self, request: HttpRequest, obj: QueueBypass | None = None
    ) -> tuple[str, ...]:
        return ("queue", "person", "reason", "at", "by", "ended_at")

    def add_view(
        self, request: HttpRequest, form_url: str = "", extra_context: dict | None = None
    ) -> HttpResponse:
        """Let somebody in without waiting."""
        if not self.has_add_permission(request):
            raise PermissionDenied
        form = BypassForm(request.POST or None, required=True, initial=request.GET.dict())
        if form.is_valid():
            user = selectors.user_with_email(form.cleaned_data["email"])
            queue, why = form.cleaned_data["queue"], form.cleaned_data["reason"]
            services.add_bypass(
                event_id=queue.pk,
                person=str(user.pk),
                by=operator(request),
                why=why,
                now=clock.now(),
            )
            text = _("%(person)s enters without waiting.") % {"person": user}
            self.message_user(request, text, messages.SUCCESS)
            return redirect(LIST)
        return self.page(request, "bypass", _("Let somebody in without waiting"), form=form)

    def end_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        found: QueueBypass = self.changeable(request, pk)
        if found.ended_at is not None:
            raise NotFound()
        form = ReasonForm(request.POST if request.method == "POST" else None)
        if form.is_valid():
            services.end_bypass(
                event_id=found.queue_id,
                person=str(found.person_id),
                by=operator(request),
                why=form.cleaned_data["reason"],
                now=clock.now(),
            )
            text = _("%(person)s waits like everybody else.") % {"person": found.person}
            self.message_user(request, text, messages.SUCCESS)
            return redirect(LIST)
        title = _("%(person)s: end the exception") % {"person": found.person}
        return self.page(request, "bypass", title, form=form)

"""Admin of tickets: searched by code, name or e-mail; changed only through services."""

from typing import Any
from uuid import uuid4

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern
from django.utils.html import format_html, format_html_join
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reservations import services
from reservations.models import CheckIn, Ticket, TicketChange, TransferOffer
from reservations.selectors import check_ins as selectors
from reservations.selectors.labels import ticket_value_label
from reservations.tickets.labels import check_in_label, seat_label
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import (
    ChangeRecordAdmin,
    ReadOnlyAdmin,
    change_url,
    operator,
    require_post,
)

NOTHING = "–"
REISSUE, CHECK_IN = "reservations.change_ticket", selectors.CHECK_IN
DOOR = "admin"


@admin.register(Ticket)
class TicketAdmin(ReadOnlyAdmin):
    list_display = ("code", "event", "place", "name", "holder", "state", "serial", "used_at")
    list_select_related = ("event", "holder", "seat__place__section")
    list_filter = ("state", "reason")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("code__iexact", "name", "holder__email", "reservation__code__iexact")
    search_help_text = gettext_lazy("The code, the order's code, a name, or an e-mail address.")
    fields = (
        *("code", "state", "reason", "event", "place", "name", "holder", "order", "serial"),
        *("created_at", "used_at", "ended_at", "other", "history"),
    )

    def get_urls(self) -> list[URLPattern]:
        return [
            self.route("<int:pk>/reissue/", self.reissue_view, "ticket_reissue"),
            self.route("<int:pk>/check-in/", self.check_in_view, "ticket_check_in"),
            self.route("<int:pk>/undo/", self.undo_view, "ticket_undo"),
            *super().get_urls(),
        ]

    def get_search_results(
        self, request: HttpRequest, queryset: QuerySet[Ticket], search_term: str
    ) -> tuple[QuerySet[Ticket], bool]:
        """Also finds a code written in two halves, as on the ticket."""
        if pk := selectors.ticket_with_typed_code(search_term):
            return queryset.filter(pk=pk), False
        return super().get_search_results(request, queryset, search_term)

    def reissue_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Asks for a reason, then issues a new code for the same seat."""
        ticket = self._allowed(request, pk, REISSUE)
        form = ReasonForm(request.POST or None, required=True)
        if form.is_valid():
            why = form.cleaned_data["reason"]
            new = services.reissue_by_operator(
                code=ticket.code, by=operator(request), why=why, now=clock.now()
            )
            message = _("%(code)s replaces %(old)s, which lets nobody in any more.")
            self.message_user(request, message % {"code": new, "old": ticket}, messages.SUCCESS)
            return self.back_to(new)
        title = _("%(code)s: issue again") % {"code": ticket}
        return self.page(request, "ticket_reissue", title, ticket=ticket, form=form)

    def check_in_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Check the ticket in, as at the door."""
        require_post(request)
        ticket = self._allowed(request, pk, CHECK_IN)
        scan = services.Scan(key=uuid4(), text=ticket.code)
        (entry,) = services.check_in_batch(
            event_id=ticket.event_id,
            scans=[scan],
            by=operator(request),
            door=DOOR,
            now=clock.now(),
        )
        lets_in = entry.answer == CheckIn.Answer.VALID
        level = messages.SUCCESS if lets_in else messages.ERROR
        self.message_user(request, check_in_label(entry), level)
        return self.back_to(ticket)

    def undo_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        require_post(request)
        ticket = self._allowed(request, pk, CHECK_IN)
        last = get_object_or_404(ticket.check_ins, answer=CheckIn.Answer.VALID, undone_at=None)
        services.undo_check_in(key=last.key, by=operator(request), now=clock.now())
        message = _("The check-in is undone. The ticket is good again.")
        self.message_user(request, message, messages.SUCCESS)
        return self.back_to(ticket)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        state, who = context["original"].state, operator(request)
        is_valid, may_check_in = state == Ticket.State.VALID, who.has_perm(CHECK_IN)
        context["may_reissue"] = is_valid and who.has_perm(REISSUE)
        context["may_check_in"] = is_valid and may_check_in
        context["may_undo"] = state == Ticket.State.USED and may_check_in
        return super().render_change_form(request, context, *args, **kwargs)

    def _allowed(self, request: HttpRequest, pk: int, permission: str) -> Ticket:
        if not operator(request).has_perm(permission):
            raise PermissionDenied
        return get_object_or_404(self.get_queryset(request), pk=pk)

    @admin.display(description=gettext_lazy("seat"))
    def place(self, ticket: Ticket) -> str:
        return seat_label(ticket)

    @admin.display(description=gettext_lazy("reservation"))
    def order(self, ticket: Ticket) -> str:
        return _link(ticket.reservation)

    @admin.display(description=gettext_lazy("other tickets of this seat and order"))
    def other(self, ticket: Ticket) -> str:
        same = ticket.reservation.tickets.filter(seat=ticket.seat_id).exclude(pk=ticket.pk)
        rows = [(_link(it), it.get_state_display(), it.name) for it in same]
        return format_html_join("", "<div>{} · {} · {}</div>", rows) or NOTHING

    @admin.display(description=gettext_lazy("history"))
    def history(self, ticket: Ticket) -> str:
        """Changes of all tickets of this seat and order."""
        about = {"ticket__seat": ticket.seat_id, "ticket__reservation": ticket.reservation_id}
        changes = TicketChange.objects.filter(**about).select_related("by", "ticket")
        rows = [
            (
                localtime(it.at).strftime("%Y-%m-%d %H:%M:%S"),
                it.ticket,
                it.get_what_display(),
                " → ".join(
                    ticket_value_label(it, value) for value in (it.before, it.after) if value
                ),
                it.by or "",
                it.why,
            )
            for it in changes
        ]
        return format_html_join("", "<div>{} · {} · {} · {} · {} {}</div>", rows) or NOTHING


@admin.register(TicketChange)
class TicketChangeAdmin(ChangeRecordAdmin):
    list_display = fields = ("at", "ticket", "what", "old_value", "new_value", "by", "why")
    list_select_related = ("ticket", "by")
    list_filter = ("what",)
    search_fields = ("ticket__code__iexact", "by__email", "why")

    def value_label(self, change: TicketChange, value: str) -> str:
        return ticket_value_label(change, value)


@admin.register(CheckIn)
class CheckInAdmin(ReadOnlyAdmin):
    list_display = ("at", "event", "ticket", "answer", "door", "by", "offline", "undone_at")
    list_select_related = ("event", "ticket", "by")
    list_filter = ("answer", "offline")
    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "at"
    search_fields = ("ticket__code__iexact", "by__email", "door")


@admin.register(TransferOffer)
class TransferOfferAdmin(ReadOnlyAdmin):
    list_display = ("created_at", "ticket", "email", "state", "ended_at")
    list_select_related = ("ticket",)
    list_filter = ("state",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("ticket__code__iexact", "email")


def _link(thing: Any) -> str:
    return format_html('<a href="{}">{}</a>', change_url(thing), thing)

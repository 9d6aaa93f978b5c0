"""Admin of standby lists: entries in order, with their offers; changed only through services."""

from typing import Any

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
from reservations.models import StandbyChange, StandbyEntry
from reservations.selectors import standby
from reservations.selectors.labels import standby_reason_label, standby_value_label
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import ChangeRecordAdmin, ReadOnlyAdmin, change_url, operator

NOTHING = "–"
REMOVE = "reservations.change_standbyentry"


@admin.register(StandbyEntry)
class StandbyEntryAdmin(ReadOnlyAdmin):
    """In the order in which seats are offered."""

    list_display = (
        *("fan", "place", "state", "quantity", "wish", "number", "offer", "event"),
        *("created_at", "offered_at"),
    )
    list_select_related = ("event", "fan", "reservation")
    list_filter = ("state", ("event", admin.RelatedOnlyFieldListFilter))
    list_per_page = 25
    show_full_result_count = False
    ordering = ("-event_id", "turn", "id")
    search_fields = ("fan__email", "event__title_ko", "event__title_en")
    search_help_text = gettext_lazy("The person's e-mail address, or the event.")
    fields = (
        *("event", "fan", "state", "place", "quantity", "wish", "number", "created_at"),
        *("offered_at", "offer", "deadline", "ended_at", "history"),
    )

    def get_urls(self) -> list[URLPattern]:
        remove = self.route("<int:pk>/remove/", self.remove_view, "standbyentry_remove")
        return [remove, *super().get_urls()]

    def get_queryset(self, request: HttpRequest) -> QuerySet[StandbyEntry]:
        return super().get_queryset(request).prefetch_related("event__grades")

    def remove_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Shows the fan and their offer, asks for a reason, then removes the entry."""
        if not operator(request).has_perm(REMOVE):
            raise PermissionDenied
        entry = get_object_or_404(self.get_queryset(request), pk=pk)
        form = ReasonForm(request.POST or None, required=True)
        if form.is_valid():
            why = form.cleaned_data["reason"]
            services.remove_from_standby(
                entry_id=pk, by=operator(request), why=why, now=clock.now()
            )
            message = _("%(person)s is off the standby list.") % {"person": entry.fan}
            self.message_user(request, message, messages.SUCCESS)
            return self.back_to(entry)
        title = _("%(person)s: take off the standby list") % {"person": entry.fan}
        return self.page(request, "standby_remove", title, entry=entry, form=form)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        live = context["original"].state in StandbyEntry.LIVE
        context["may_remove"] = live and operator(request).has_perm(REMOVE)
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description=gettext_lazy("place on the list"))
    def place(self, entry: StandbyEntry) -> str:
        waits = entry.state == StandbyEntry.State.WAITING
        return str(standby.place_of(entry)) if waits else NOTHING

    @admin.display(description=gettext_lazy("price grade"), ordering="grade")
    def wish(self, entry: StandbyEntry) -> str:
        names = {grade.code: grade.name for grade in entry.event.grades.all()}
        return names.get(entry.grade, entry.grade) or _("any")

    @admin.display(description=gettext_lazy("number in the line"), ordering="turn")
    def number(self, entry: StandbyEntry) -> str:
        return f"{entry.turn:,}" if entry.was_in_line else NOTHING

    @admin.display(description=gettext_lazy("offer"))
    def offer(self, entry: StandbyEntry) -> str:
        offer = entry.reservation
        if offer is None:
            return NOTHING
        text = f"{offer.code} ({offer.get_state_display()})"
        return format_html('<a href="{}">{}</a>', change_url(offer), text)

    @admin.display(description=gettext_lazy("kept until"))
    def deadline(self, entry: StandbyEntry) -> Any:
        return entry.reservation.deadline if entry.reservation else NOTHING

    @admin.display(description=gettext_lazy("changes"))
    def history(self, entry: StandbyEntry) -> str:
        rows = [
            (
                moment(change),
                standby_value_label(change.before) or NOTHING,
                standby_value_label(change.after),
                change.by or "",
                standby_reason_label(change.why),
            )
            for change in entry.changes.select_related("by")
        ]
        return format_html_join("", "<div>{} · {} → {} · {} · {}</div>", rows) or NOTHING


@admin.register(StandbyChange)
class StandbyChangeAdmin(ChangeRecordAdmin):
    list_display = fields = ("at", "entry", "old_value", "new_value", "by", "reason")
    list_select_related = ("entry__event", "entry__fan", "by")
    search_fields = ("entry__fan__email", "by__email", "why")

    def value_label(self, change: StandbyChange, value: str) -> str:
        return standby_value_label(value) or NOTHING

    @admin.display(description=gettext_lazy("why"))
    def reason(self, change: StandbyChange) -> str:
        return standby_reason_label(change.why)


def moment(change: StandbyChange) -> str:
    return localtime(change.at).strftime("%Y-%m-%d %H:%M:%S")

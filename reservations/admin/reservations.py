"""Admin of reservations: searched by code, person or event; changed only through services."""

from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern
from django.utils.html import format_html_join
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from reservations import services
from reservations.models import HoldRequest, Reservation, ReservationChange, ReservedSeat
from reservations.selectors.labels import reservation_state_label
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import ChangeRecordAdmin, ReadOnlyAdmin, change_url, operator
from ticketing.core.money import money

NOTHING = "–"


@admin.register(Reservation)
class ReservationAdmin(ReadOnlyAdmin):
    list_display = ("code", "event", "fan", "state", "price", "created_at", "deadline")
    list_select_related = ("event", "fan")
    list_filter = ("state",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("code__iexact", "fan__email", "event__title_ko", "event__title_en")
    search_help_text = gettext_lazy("The code, the person's e-mail address, or the event.")
    fields = (
        *("code", "state", "event", "fan", "seats_and_prices", "price", "ticket_list"),
        *("created_at", "deadline", "ended_at", "history"),
    )

    def get_urls(self) -> list[URLPattern]:
        release = self.route("<int:pk>/release/", self.release_view, "reservation_release")
        return [release, *super().get_urls()]

    def release_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Shows the seats and their owner, asks for a reason, then releases them."""
        if not may_release(request):
            raise PermissionDenied
        reservation = get_object_or_404(self.get_queryset(request), pk=pk)
        form = ReasonForm(request.POST or None, required=True)
        if form.is_valid():
            reason = form.cleaned_data["reason"]
            services.release_by_operator(
                code=reservation.code, by=operator(request), why=reason, now=clock.now()
            )
            words = _("%(code)s: the seats are free again.") % {"code": reservation}
            self.message_user(request, words, messages.SUCCESS)
            return self.back_to(reservation)
        title = _("%(code)s: give the seats back") % {"code": reservation}
        context = {"reservation": reservation, "form": form, "seats": seats_of(reservation)}
        return self.page(request, "release", title, **context)

    def render_change_form(
        self, request: HttpRequest, context: dict[str, Any], *args: Any, **kwargs: Any
    ) -> HttpResponse:
        held = context["original"].state == Reservation.State.HELD
        context["may_release"] = held and may_release(request)
        return super().render_change_form(request, context, *args, **kwargs)

    @admin.display(description=gettext_lazy("total"), ordering="total")
    def price(self, reservation: Reservation) -> str:
        return money(reservation.total, reservation.currency)

    @admin.display(description=gettext_lazy("seats"))
    def seats_and_prices(self, reservation: Reservation) -> str:
        rows = [
            (seat.seat, seat.grade_name, money(seat.price, reservation.currency))
            for seat in seats_of(reservation)
        ]
        gone = [
            (seat.seat, _("cancelled"), localtime(seat.at).strftime("%Y-%m-%d %H:%M:%S"))
            for seat in reservation.cancelled.select_related("seat__place__section")
        ]
        return format_html_join("", "<div>{} · {} · {}</div>", rows + gone)

    @admin.display(description=gettext_lazy("tickets"))
    def ticket_list(self, reservation: Reservation) -> str:
        rows = [
            (change_url(ticket), ticket, ticket.get_state_display(), ticket.name)
            for ticket in reservation.tickets.all()
        ]
        return format_html_join("", '<div><a href="{}">{}</a> · {} · {}</div>', rows) or NOTHING

    @admin.display(description=gettext_lazy("changes by operators"))
    def history(self, reservation: Reservation) -> str:
        rows = [
            (localtime(change.at).strftime("%Y-%m-%d %H:%M:%S"), change.by or "", change.why)
            for change in reservation.changes.select_related("by")
        ]
        return format_html_join("", "<div>{} · {} · {}</div>", rows) or NOTHING


@admin.register(ReservationChange)
class ReservationChangeAdmin(ChangeRecordAdmin):
    list_display = fields = ("at", "reservation", "old_value", "new_value", "by", "why")
    list_select_related = ("reservation", "by")
    search_fields = ("reservation__code__iexact", "by__email", "why")

    def value_label(self, change: ReservationChange, value: str) -> str:
        return reservation_state_label(value)


@admin.register(HoldRequest)
class HoldRequestAdmin(ReadOnlyAdmin):
    list_display = ("code", "event", "fan", "state", "created_at", "finished_at", "reservation")
    list_select_related = ("event", "fan", "reservation")
    list_filter = ("state",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("code__iexact", "fan__email")


def may_release(request: HttpRequest) -> bool:
    """The change permission: nobody edits the form itself."""
    return operator(request).has_perm("reservations.change_reservation")


def seats_of(reservation: Reservation) -> QuerySet[ReservedSeat]:
    return reservation.seats.select_related("seat__place__section", "seat__grade")

"""Seats, read-only: reservations and the event's page change them."""

from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.contrib.admin.views.main import ChangeList
from django.contrib.admin.widgets import AutocompleteSelect
from django.db.models import QuerySet
from django.forms import Media
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.pages import ReadOnlyAdmin
from ticketing.events.admin.images import badge
from ticketing.events.models import Seat


class EventFilter(admin.SimpleListFilter):
    """Filters by one event, found by typing: a list of all events would be too long."""

    title = _("event")
    parameter_name = "event"
    template = "admin/ticketing/event_filter.html"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return []

    def has_output(self) -> bool:
        return True

    def queryset(self, request: HttpRequest, queryset: QuerySet[Seat]) -> QuerySet[Seat]:
        chosen = self.value() or ""
        return queryset.filter(event_id=int(chosen)) if _is_id(chosen) else queryset

    def choices(self, changelist: ChangeList) -> Iterator[Any]:
        value = self.value() or ""
        chosen = value if _is_id(value) else None
        yield {
            "select": event_widget().render("event", chosen, {"id": "for-event"}),
            "others": [pair for pair in changelist.params.items() if pair[0] not in ("event", "p")],
            "clear": changelist.get_query_string(remove=["event", "p"]),
            "chosen": bool(value),
        }


@admin.register(Seat)
class SeatAdmin(ReadOnlyAdmin):
    list_display = ("label", "event", "section", "row", "number", "grade", "status")
    list_select_related = ("event", "section", "grade", "place__section")
    list_filter = (EventFilter, "state")
    list_per_page = 100
    list_max_show_all = 0
    show_full_result_count = False
    search_fields = ("=section__code", "=place__row", "=place__number")
    search_help_text = _("Section code, row or seat number.")

    @property
    def media(self) -> Media:
        return super().media + event_widget().media

    @admin.display(description=_("seat"))
    def label(self, seat: Seat) -> str:
        return str(seat.place)

    @admin.display(description=_("row"))
    def row(self, seat: Seat) -> str:
        return seat.place.row

    @admin.display(description=_("number"))
    def number(self, seat: Seat) -> int:
        return seat.place.number

    @admin.display(description=_("status"), ordering="state")
    def status(self, seat: Seat) -> str:
        return badge(seat.state)


def event_widget() -> AutocompleteSelect:
    field = Seat._meta.get_field("event")
    formfield = field.formfield(widget=AutocompleteSelect(field, admin.site))
    return formfield.widget  # type: ignore[union-attr]


def _is_id(value: str) -> bool:
    return value.isascii() and value.isdigit() and len(value) < 19

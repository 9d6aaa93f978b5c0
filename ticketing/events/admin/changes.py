"""The history of events: read by operators, written by services, edited by nobody."""

from django.contrib import admin
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ticketing.events.admin.change_words import value_words, what_words
from ticketing.events.admin.pages import PagesAdmin
from ticketing.events.models import EventChange


class ReadOnlyAdmin(PagesAdmin):
    """Looked at, never written by hand, not even by a superuser."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


@admin.register(EventChange)
class EventChangeAdmin(ReadOnlyAdmin):
    list_display = fields = ("at", "event", "step", "was", "became", "by", "reason")
    list_select_related = ("event", "by")
    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "at"
    search_fields = ("event__title_ko", "event__title_en", "by__email", "reason")

    @admin.display(description=_("what"), ordering="what")
    def step(self, change: EventChange) -> str:
        return what_words(change)

    @admin.display(description=_("before"))
    def was(self, change: EventChange) -> str:
        return value_words(change, change.before)

    @admin.display(description=_("after"))
    def became(self, change: EventChange) -> str:
        return value_words(change, change.after)

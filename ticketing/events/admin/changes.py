"""The history of events."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.pages import ChangeRecordAdmin
from ticketing.events.models import EventChange


@admin.register(EventChange)
class EventChangeAdmin(ChangeRecordAdmin):
    list_display = fields = ("at", "event", "what_changed", "old_value", "new_value", "by", "why")
    list_select_related = ("event", "by")
    search_fields = ("event__title_ko", "event__title_en", "by__email", "why")

    @admin.display(description=_("what"), ordering="what")
    def what_changed(self, change: EventChange) -> str:
        return change.what_label

    def value_label(self, change: EventChange, value: str) -> str:
        return change.value_label(value)

"""What the nightly comparison found: read by whoever looks after the money, edited by nobody."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice

from payments.services import Difference
from ticketing.console.models import Reconciliation
from ticketing.events.admin.changes import ReadOnlyAdmin

NOTHING = "–"
admin.site.unregister(StaticDevice)  # they go and come with the phone


@admin.register(Reconciliation)
class ReconciliationAdmin(ReadOnlyAdmin):
    list_display = ("day", "at", "how_many")
    fields = ("day", "at", "found")

    @admin.display(description=_("differences"))
    def how_many(self, kept: Any) -> int:
        return len(kept.differences)

    @admin.display(description=_("differences"))
    def found(self, kept: Any) -> str:
        """In the reader's words; rows of older releases are words already."""
        found = [Difference(*each) for each in kept.differences]
        rows = ((it.number, it.label) for it in found)
        return format_html_join("", "<div>{}: {}</div>", rows) or NOTHING

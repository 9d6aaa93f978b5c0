"""Read-only admin of the nightly reconciliations."""

from typing import Any

from django.contrib import admin
from django.utils.html import format_html_join
from django.utils.translation import gettext_lazy as _
from django_otp.plugins.otp_static.models import StaticDevice

from payments.services import Difference
from ticketing.console.models import Reconciliation
from ticketing.core.admin.pages import ReadOnlyAdmin

NOTHING = "–"
admin.site.unregister(StaticDevice)  # recovery codes are managed together with the phone


@admin.register(Reconciliation)
class ReconciliationAdmin(ReadOnlyAdmin):
    list_display = ("day", "at", "difference_count")
    fields = ("day", "at", "difference_list")

    @admin.display(description=_("differences"))
    def difference_count(self, reconciliation: Any) -> int:
        return len(reconciliation.differences)

    @admin.display(description=_("differences"))
    def difference_list(self, reconciliation: Any) -> str:
        """In the language of the reader; rows of older releases contain finished text."""
        differences = [Difference(*each) for each in reconciliation.differences]
        rows = ((it.number, it.label) for it in differences)
        return format_html_join("", "<div>{}: {}</div>", rows) or NOTHING

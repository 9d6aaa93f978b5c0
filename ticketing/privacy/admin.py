"""The purges, for operators."""

from django.contrib import admin

from ticketing.accounts.models import PurgeRun
from ticketing.core.admin.pages import ReadOnlyAdmin


@admin.register(PurgeRun)
class PurgeRunAdmin(ReadOnlyAdmin):
    list_display = ("began_at", "ended_at", "counts", "error")
    date_hierarchy = "began_at"
    list_per_page = 50
    show_full_result_count = False
    fields = ("began_at", "ended_at", "counts", "error")

"""The security log of accounts."""

from django.contrib import admin
from django.utils.translation import gettext_lazy as _

from ticketing.accounts.models import SecurityEvent
from ticketing.core.admin.pages import ReadOnlyAdmin


@admin.register(SecurityEvent)
class SecurityEventAdmin(ReadOnlyAdmin):
    """The security log, searched by person, address range or detail."""

    list_display = ("at", "kind", "user", "origin", "detail")
    list_filter = ("kind", "at")
    list_select_related = ("user",)
    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "at"
    search_fields = ("user__email", "origin", "detail")
    search_help_text = _("E-mail, IP address or detail")
    fields = ("at", "kind", "user", "origin", "detail", "mail_to", "mail_due_at")

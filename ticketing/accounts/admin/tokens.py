"""API tokens."""

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _

from ticketing.accounts import services
from ticketing.accounts.models import ApiToken
from ticketing.core import clock


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """Operators view and revoke tokens; only their owners create them."""

    list_display = (
        *("name", "user", "scopes", "created_at", "last_used_at", "last_used_from"),
        *("expires_at", "revoked_at"),
    )
    list_filter = ("created_at", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("name", "user__email")
    show_full_result_count = False
    fields = (
        *("name", "user", "scopes", "has_second_factor", "created_at", "created_from"),
        *("last_used_at", "last_used_from", "expires_at", "revoked_at"),
    )
    actions = ["revoke"]

    def has_add_permission(self, request: HttpRequest, *args: Any) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: ApiToken | None = None) -> bool:
        return False

    def has_revoke_permission(self, request: HttpRequest) -> bool:
        return request.user.has_perm("accounts.change_apitoken")

    @admin.action(description=_("Revoke"), permissions=["revoke"])
    def revoke(self, request: HttpRequest, queryset: QuerySet[ApiToken]) -> None:
        for token in queryset:
            services.revoke_token(token=token, now=clock.now())
            self.log_change(request, token, "Revoked.")

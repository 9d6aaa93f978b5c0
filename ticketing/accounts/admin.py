"""Users and their API tokens."""

from typing import Any

from django.contrib import admin, messages
from django.contrib.auth import admin as auth_admin
from django.contrib.auth import forms as auth_forms
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.translation import gettext_lazy as _
from django.utils.translation import ngettext

from ticketing.accounts import services
from ticketing.accounts.forms import StaffLogInForm
from ticketing.accounts.models import ApiToken, User
from ticketing.core import clock

admin.site.login_form = StaffLogInForm

PRIVILEGES = ("is_staff", "is_superuser", "groups", "user_permissions")


class UserCreationForm(auth_forms.AdminUserCreationForm):
    class Meta:
        model = User
        fields = ("email", "display_name")


class UserForm(auth_forms.UserChangeForm):
    class Meta:
        model = User
        fields = "__all__"


@admin.register(User)
class UserAdmin(auth_admin.UserAdmin):
    """Operators manage fans; privileges, staff accounts and deletion are for superusers."""

    form, add_form = UserForm, UserCreationForm
    list_display = ("email", "display_name", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "groups", "date_joined")
    search_fields = ("email", "display_name", "phone")
    search_help_text = _("E-mail, name or phone")
    ordering = ("-date_joined", "-pk")
    list_per_page = 50
    show_full_result_count = False
    readonly_fields = ("date_joined", "last_login")
    fieldsets = (
        (None, {"fields": ("email", "password")}),
        (_("Person"), {"fields": ("display_name", "phone", "is_active")}),
        (_("Permissions"), {"fields": PRIVILEGES}),
        (_("Dates"), {"fields": readonly_fields}),
    )
    add_fieldsets = (
        (None, {"fields": ("email", "display_name", "usable_password", "password1", "password2")}),
    )
    actions = ["log_out_everywhere", "deactivate"]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        fixed = tuple(super().get_readonly_fields(request, obj))
        return fixed if request.user.is_superuser else (*fixed, *PRIVILEGES)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Staff accounts only by superusers: changing a password allows logging in as them."""
        allowed = super().has_change_permission(request, obj)
        is_staff = obj is not None and (obj.is_staff or obj.is_superuser)
        return allowed and (request.user.is_superuser or not is_staff)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return request.user.is_superuser and super().has_delete_permission(request, obj)

    @admin.action(description=_("Log out on all devices"), permissions=["change"])
    def log_out_everywhere(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in self._changeable_users(request, queryset):
            services.log_out_everywhere(user=user)
            self.log_change(request, user, "Logged out everywhere.")

    @admin.action(description=_("Deactivate account"), permissions=["change"])
    def deactivate(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Never the operator themselves, so that the last one cannot be locked out."""
        for user in self._changeable_users(request, queryset.exclude(pk=request.user.pk or 0)):
            services.deactivate(user=user)
            self.log_change(request, user, "Deactivated.")

    def _changeable_users(self, request: HttpRequest, queryset: QuerySet[User]) -> list[User]:
        people = [user for user in queryset if self.has_change_permission(request, user)]
        done = ngettext("Done for %(n)d person.", "Done for %(n)d people.", len(people))
        level = messages.SUCCESS if people else messages.WARNING
        self.message_user(request, done % {"n": len(people)}, level)
        return people


@admin.register(ApiToken)
class ApiTokenAdmin(admin.ModelAdmin):
    """Can be viewed and revoked; only their owners create them."""

    list_display = ("name", "user", "created_at", "last_used_at", "expires_at", "revoked_at")
    list_filter = ("created_at", ("revoked_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    search_fields = ("name", "user__email")
    show_full_result_count = False
    fields = ("name", "user", "created_at", "last_used_at", "expires_at", "revoked_at")
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

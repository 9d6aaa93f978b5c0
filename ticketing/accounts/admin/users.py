"""Accounts: operators manage those of fans, superusers also those of staff."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import admin as auth_admin
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest
from django.urls import URLPattern
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext_lazy as _

from ticketing.accounts import services, tasks
from ticketing.accounts.models import User

PRIVILEGES = ("is_staff", "is_superuser", "groups", "user_permissions")


class UserForm(forms.ModelForm):
    class Meta:
        model = User
        exclude = ("password",)  # noqa: DJ006 - every other field


@admin.register(User)
class UserAdmin(auth_admin.UserAdmin):
    """Operators manage fans; privileges, staff accounts and deletion are for superusers.

    Nobody sets or sees another person's password: people get a link to set it themselves.
    """

    form = add_form = UserForm
    list_display = ("email", "display_name", "is_active", "is_staff", "date_joined", "last_login")
    list_filter = ("is_active", "is_staff", "groups", "date_joined")
    search_fields = ("email", "display_name", "phone")
    search_help_text = _("E-mail, name or phone")
    ordering = ("-date_joined", "-pk")
    list_per_page = 50
    show_full_result_count = False
    readonly_fields = ("email_confirmed_at", "new_email", "date_joined", "last_login")
    fieldsets = (
        (_("Person"), {"fields": ("email", "display_name", "phone", "is_active")}),
        (_("Permissions"), {"fields": PRIVILEGES}),
        (_("Dates"), {"fields": readonly_fields}),
    )
    add_fieldsets = (
        (
            None,
            {
                "fields": ("email", "display_name"),
                "description": _("They get an e-mail with a link to set their password."),
            },
        ),
    )
    actions = ["send_reset_link", "log_out_everywhere", "deactivate"]

    def get_urls(self) -> list[URLPattern]:
        """Leave out Django's page that sets another person's password."""
        return [url for url in super().get_urls() if url.name != "auth_user_password_change"]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """Only superusers change an address: whoever reads its mail can reset the password."""
        fixed = tuple(super().get_readonly_fields(request, obj))
        if request.user.is_superuser:
            return fixed
        return (*fixed, *PRIVILEGES, "email") if obj else (*fixed, *PRIVILEGES)

    def save_model(self, request: HttpRequest, obj: User, form: Any, change: bool) -> None:
        if not change:
            obj.set_unusable_password()
        if {*PRIVILEGES, "email"} & set(form.changed_data) and change:
            services.require_fresh(request.session)
        if "email" in form.changed_data:  # nobody has proved the new one yet
            obj.email_confirmed_at = None
        super().save_model(request, obj, form, change)
        if not change:
            self._send_reset_link(obj)

    def has_change_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        """Only superusers change the accounts of staff."""
        allowed = super().has_change_permission(request, obj)
        is_staff = obj is not None and (obj.is_staff or obj.is_superuser)
        return allowed and (request.user.is_superuser or not is_staff)

    def has_delete_permission(self, request: HttpRequest, obj: User | None = None) -> bool:
        return request.user.is_superuser and super().has_delete_permission(request, obj)

    @admin.action(description=_("Send a link to set a new password"), permissions=["change"])
    def send_reset_link(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in self._changeable_users(request, queryset.filter(is_active=True)):
            self._send_reset_link(user)
            self.log_change(request, user, "Was sent a link to set a password.")

    def _send_reset_link(self, user: User) -> None:
        language = get_language() or settings.LANGUAGE_CODE
        transaction.on_commit(lambda: tasks.mail_reset_link.delay(user.pk, language))

    @admin.action(description=_("Log out on all devices"), permissions=["change"])
    def log_out_everywhere(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        for user in self._changeable_users(request, queryset):
            services.log_out_everywhere(user=user)
            self.log_change(request, user, "Logged out everywhere.")

    @admin.action(description=_("Deactivate account"), permissions=["change"])
    def deactivate(self, request: HttpRequest, queryset: QuerySet[User]) -> None:
        """Deactivate accounts, but not one's own: nobody could undo it for the last operator."""
        for user in self._changeable_users(request, queryset.exclude(pk=request.user.pk or 0)):
            services.deactivate(user=user)
            self.log_change(request, user, "Deactivated.")

    def _changeable_users(self, request: HttpRequest, queryset: QuerySet[User]) -> list[User]:
        people = [user for user in queryset if self.has_change_permission(request, user)]
        done = ngettext("Done for %(n)d person.", "Done for %(n)d people.", len(people))
        level = messages.SUCCESS if people else messages.WARNING
        self.message_user(request, done % {"n": len(people)}, level)
        return people

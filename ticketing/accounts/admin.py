"""Users, their API tokens and their verified identities."""

from typing import Any

from django import forms
from django.conf import settings
from django.contrib import admin, messages
from django.contrib.auth import admin as auth_admin
from django.core.exceptions import PermissionDenied
from django.db import transaction
from django.db.models import QuerySet
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern
from django.utils.html import format_html_join
from django.utils.timezone import localtime
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext_lazy as _

from ticketing.accounts import services, tasks
from ticketing.accounts.forms import StaffLogInForm
from ticketing.accounts.models import (
    ApiToken,
    Consent,
    Identity,
    IdentityChange,
    LegalDocument,
    SecurityEvent,
    User,
)
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import ReadOnlyAdmin, operator

admin.site.login_form = StaffLogInForm

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
        """Without Django's page to set a password."""
        return [url for url in super().get_urls() if url.name != "auth_user_password_change"]

    def get_readonly_fields(self, request: HttpRequest, obj: User | None = None) -> tuple[str, ...]:
        """An address is only changed by a superuser: a reset link sent there opens the account."""
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
        """Staff accounts only by superusers."""
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


@admin.register(LegalDocument)
class LegalDocumentAdmin(admin.ModelAdmin):
    """Each change is a new version, which begins with the text of the last one.

    A version can be edited until it is published, and never after that.
    """

    list_display = ("kind", "version", "title_ko", "published_at")
    list_filter = ("kind",)
    fields = ("kind", "title_ko", "body_ko", "title_en", "body_en", "published_at")
    actions = None
    search_fields = ("title_ko", "title_en")

    def get_changeform_initial_data(self, request: HttpRequest) -> dict[str, Any]:
        kind = request.GET.get("kind", LegalDocument.Kind.TERMS)
        if kind not in LegalDocument.Kind.values:
            return {}
        last = LegalDocument.objects.filter(kind=kind).order_by("-version").first()
        names = ("title_ko", "title_en", "body_ko", "body_en")
        texts = {name: getattr(last, name) for name in names} if last else None
        return {"kind": kind, "published_at": clock.now()} | (texts or services.default_texts(kind))

    def save_model(self, request: HttpRequest, obj: Any, form: Any, change: bool) -> None:
        if not change:
            obj.version = services.next_version(obj.kind)
        super().save_model(request, obj, form, change)

    def get_readonly_fields(self, request: HttpRequest, obj: Any = None) -> tuple[str, ...]:
        return ("kind",) if obj else ()

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        is_final = obj is not None and obj.is_published(clock.now())
        return super().has_change_permission(request, obj) and not is_final

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Consent)
class ConsentAdmin(ReadOnlyAdmin):
    """Who agreed to what, and when."""

    list_display = ("user", "document", "about", "given_at", "withdrawn_at")
    list_filter = ("document__kind", "given_at")
    list_select_related = ("user", "document")
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("user__email", "about")
    fields = ("user", "document", "about", "given_at", "withdrawn_at")


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


class ReleaseForm(ReasonForm):
    closes_account = forms.BooleanField(
        label=_("Close this account, too"),
        required=False,
        help_text=_("Merging: the person goes on with their other account alone."),
    )


@admin.register(Identity)
class IdentityAdmin(ReadOnlyAdmin):
    """Which accounts are verified. A dispute or a merge releases one, with a reason."""

    list_display = ("user", "birth_year", "verified_at", "released_at")
    fields = ("user", "birth_year", "verified_at", "released_at", "changes")
    list_filter = ("verified_at", ("released_at", admin.EmptyFieldListFilter))
    list_select_related = ("user",)
    list_per_page = 50
    show_full_result_count = False
    search_fields = ("user__email",)

    def get_urls(self) -> list[URLPattern]:
        release = self.route("<int:pk>/release/", self.release_view, "identity_release")
        return [release, *super().get_urls()]

    def release_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Let the person verify another account; they verify it themselves."""
        by = operator(request)
        if not by.has_perm("accounts.change_identity"):
            raise PermissionDenied
        services.require_fresh(request.session)
        found = get_object_or_404(Identity.objects.select_related("user"), pk=pk)
        form = ReleaseForm(request.POST if request.method == "POST" else None, required=True)
        if form.is_valid():
            services.release_identity(
                user_id=pk,
                closes_account=form.cleaned_data["closes_account"],
                by=by,
                why=form.cleaned_data["reason"],
                now=clock.now(),
            )
            text = _("%(person)s is not verified any more.") % {"person": found}
            self.message_user(request, text, messages.SUCCESS)
            return self.back_to(found)
        title = _("%(person)s: release the identity") % {"person": found}
        return self.page(request, "identity_release", title, identity=found, form=form)

    @admin.display(description=_("changes"))
    def changes(self, identity: Identity) -> str:
        rows = [
            (
                localtime(it.at).strftime("%Y-%m-%d %H:%M"),
                it.get_what_display(),
                it.by or "",
                it.why,
            )
            for it in identity.user.identity_changes.select_related("by")
        ]
        return format_html_join("", "<div>{} · {} {} {}</div>", rows)


@admin.register(IdentityChange)
class IdentityChangeAdmin(ReadOnlyAdmin):
    list_display = fields = ("at", "user", "what", "by", "why")
    list_filter = ("what", "at")
    list_select_related = ("user", "by")
    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "at"
    search_fields = ("user__email", "why")

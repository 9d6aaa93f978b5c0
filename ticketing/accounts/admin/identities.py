"""Verified identities, and the history of their changes."""

from django import forms
from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404
from django.urls import URLPattern
from django.utils.html import format_html_join
from django.utils.timezone import localtime
from django.utils.translation import gettext_lazy as _

from ticketing.accounts import services
from ticketing.accounts.models import Identity, IdentityChange
from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import ReadOnlyAdmin, operator


class ReleaseForm(ReasonForm):
    closes_account = forms.BooleanField(
        label=_("Close this account, too"),
        required=False,
        help_text=_("Merging: the person goes on with their other account alone."),
    )


@admin.register(Identity)
class IdentityAdmin(ReadOnlyAdmin):
    """Which accounts are verified. Operators release one in a dispute or a merge, with a reason."""

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
        """Release the identity, so that the person can verify another account with it."""
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

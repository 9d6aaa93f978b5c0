"""Base classes of the apps' admin: extra pages, read-only models, change histories."""

from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ticketing.core.errors import MethodNotAllowed, NotFound

if TYPE_CHECKING:
    from ticketing.accounts.models import User

SEOUL = _("All times are Seoul time (UTC+9).")
# Django's Korean title of a read-only list is garbled; marking the text lets ours replace it.
gettext_noop("Select %s to view")


class PagesAdmin(admin.ModelAdmin):
    """A model admin with pages of its own besides Django's."""

    class Media:
        css = {"all": ["css/admin-plans.css"]}

    def page(
        self, request: HttpRequest, template: str, title: str | Promise, **context: Any
    ) -> HttpResponse:
        """Render `admin/<app>/<template>.html` inside the admin's frame."""
        media = self.media
        for form in (context.get("form"), context.get("formset")):
            media = media + form.media if form is not None else media
        frame = self.admin_site.each_context(request)
        shared = {"opts": self.opts, "title": title, "media": media, "original": None}
        return TemplateResponse(
            request, f"admin/{self.opts.app_label}/{template}.html", {**frame, **shared, **context}
        )

    def route(self, pattern: str, view: Any, name: str) -> URLPattern:
        return path(pattern, self.admin_site.admin_view(view), name=f"{self.opts.app_label}_{name}")

    def changeable(self, request: HttpRequest, pk: int) -> Any:
        """The object with this key; refused unless the operator may change it."""
        found = self.get_queryset(request).filter(pk=pk).first()
        if not self.has_change_permission(request, found):
            raise PermissionDenied
        if found is None:
            raise NotFound()
        return found

    def back_to(self, thing: models.Model) -> HttpResponse:
        return redirect(change_url(thing))


class ReadOnlyAdmin(PagesAdmin):
    """Rows that services write; nobody edits them by hand, not even a superuser."""

    actions = None

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: object = None) -> bool:
        return False


class ChangeRecordAdmin(ReadOnlyAdmin):
    """The history of a model; subclasses translate its values in `value_label`."""

    list_per_page = 50
    show_full_result_count = False
    date_hierarchy = "at"

    def value_label(self, change: Any, value: str) -> str:
        raise NotImplementedError

    @admin.display(description=_("before"))
    def old_value(self, change: Any) -> str:
        return self.value_label(change, change.before)

    @admin.display(description=_("after"))
    def new_value(self, change: Any) -> str:
        return self.value_label(change, change.after)


def operator(request: HttpRequest) -> "User":
    """The logged-in staff member; admin pages are never shown without a log-in."""
    return cast("User", request.user)


def require_post(request: HttpRequest) -> None:
    """Refuse anything but POST, so that following a link never writes."""
    if request.method != "POST":
        raise MethodNotAllowed()


def change_url(thing: models.Model) -> str:
    return reverse(
        f"admin:{thing._meta.app_label}_{thing._meta.model_name}_change", args=[thing.pk]
    )

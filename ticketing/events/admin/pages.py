"""What our own admin pages share: their frame, their checks, their way back."""

from typing import Any, cast

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

from ticketing.accounts.models import User
from ticketing.core.errors import MethodNotAllowed, NotFound

SEOUL = _("All times are Seoul time (UTC+9).")
# Django's own Korean for the title of a list that can't be changed is garbled; ours wins.
gettext_noop("Select %s to view")


class PagesAdmin(admin.ModelAdmin):
    """A model's admin with pages beyond Django's own."""

    class Media:
        css = {"all": ["css/admin-plans.css"]}

    def page(
        self, request: HttpRequest, template: str, title: str | Promise, **context: Any
    ) -> HttpResponse:
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
        """The object, if this person may change it."""
        found = self.get_queryset(request).filter(pk=pk).first()
        if not self.has_change_permission(request, found):
            raise PermissionDenied
        if found is None:
            raise NotFound()
        return found

    def back_to(self, thing: models.Model) -> HttpResponse:
        return redirect(change_url(thing))


def operator(request: HttpRequest) -> User:
    """Who does this; the admin lets nobody in without a log-in."""
    return cast(User, request.user)


def require_post(request: HttpRequest) -> None:
    """A link must never write."""
    if request.method != "POST":
        raise MethodNotAllowed()


def change_url(thing: models.Model) -> str:
    return reverse(
        f"admin:{thing._meta.app_label}_{thing._meta.model_name}_change", args=[thing.pk]
    )

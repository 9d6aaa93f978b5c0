"""Base classes of the apps' admin: extra pages, read-only models, change histories."""

from collections.abc import Callable
from functools import wraps
from typing import TYPE_CHECKING, Any, cast

from django.contrib import admin
from django.contrib.admin.widgets import AutocompleteSelect
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import redirect
from django.template.response import TemplateResponse
from django.urls import URLPattern, path, reverse
from django.utils.cache import add_never_cache_headers
from django.utils.functional import Promise
from django.utils.text import capfirst
from django.utils.translation import gettext_lazy as _
from django.utils.translation import gettext_noop

from ticketing.core.admin.labels import LabelledDateTime
from ticketing.core.error_responses import headers_of, page_before, wants_json
from ticketing.core.errors import DomainError, MethodNotAllowed, NotFound

if TYPE_CHECKING:
    from ticketing.accounts.models import User

SEOUL = _("All times are Seoul time (UTC+9).")
# Django's Korean title of a read-only list is garbled; marking the text lets ours replace it.
gettext_noop("Select %s to view")


class KeySelect(AutocompleteSelect):
    """Django's, which looks for every value that was sent, also for one that can't be a key."""

    def optgroups(self, name: str, value: Any, attr: Any = None) -> Any:
        keys = [key for key in value if str(key).isdecimal() and len(str(key)) < 19]
        return super().optgroups(name, keys, attr)

    def build_attrs(self, base_attrs: Any, extra_attrs: Any = None) -> dict[str, Any]:
        """An empty box shows the field's name, which is what screen readers say."""
        attrs: dict[str, Any] = super().build_attrs(base_attrs, extra_attrs)
        return attrs | {"data-placeholder": capfirst(str(self.field.verbose_name))}


def refusals_inside(view: Callable[..., Any]) -> Callable[..., Any]:
    """Show staff what a service refuses in the admin's frame; programs get JSON, as elsewhere."""

    @wraps(view)
    def shown(request: HttpRequest, *args: Any, **kwargs: Any) -> Any:
        try:
            return view(request, *args, **kwargs)
        except DomainError as refusal:
            is_elsewhere = refusal.page or refusal.has_own_page or refusal.status >= 500
            if is_elsewhere or wants_json(request):
                raise
            return refusal_page(request, refusal)

    return shown


def refusal_page(request: HttpRequest, refusal: DomainError) -> HttpResponse:
    context = {"title": _("This was not possible"), "refusal": refusal}
    context |= admin.site.each_context(request) | {"before": page_before(request)}
    response = TemplateResponse(request, "admin/refusal.html", context, status=refusal.status)
    add_never_cache_headers(response)
    for name, value in headers_of(refusal).items():
        response[name] = value
    return response


class PagesAdmin(admin.ModelAdmin):
    """A model admin with pages of its own besides Django's."""

    class Media:
        css = {"all": ["css/admin-plans.css"]}

    def get_urls(self) -> list[URLPattern]:
        urls = super().get_urls()
        for url in urls:
            url.callback = refusals_inside(url.callback)
        return urls

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if isinstance(db_field, models.DateTimeField):
            kwargs.setdefault("widget", LabelledDateTime(db_field.verbose_name))
        return super().formfield_for_dbfield(db_field, request, **kwargs)

    def formfield_for_foreignkey(self, db_field: Any, request: HttpRequest, **kwargs: Any) -> Any:
        if db_field.name in self.get_autocomplete_fields(request):
            kwargs.setdefault("widget", KeySelect(db_field, self.admin_site))
        return super().formfield_for_foreignkey(db_field, request, **kwargs)

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
        shown = refusals_inside(self.admin_site.admin_view(view))
        return path(pattern, shown, name=f"{self.opts.app_label}_{name}")

    def changeable(self, request: HttpRequest, pk: int) -> Any:
        """The object with this key; refused unless the operator may change it."""
        found = self.get_queryset(request).filter(pk=pk).first()
        if not self.has_change_permission(request, found):
            raise PermissionDenied
        if found is None:
            raise NotFound()
        return found

    def back_to(self, thing: models.Model, request: HttpRequest | None = None) -> HttpResponse:
        """To the checklist from which the request's page was opened, or to the object."""
        return redirect((request and checklist_url(request)) or change_url(thing))

    def response_post_save_add(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        way_back = checklist_url(request)
        return redirect(way_back) if way_back else super().response_post_save_add(request, obj)

    def response_post_save_change(self, request: HttpRequest, obj: Any) -> HttpResponseRedirect:
        way_back = checklist_url(request)
        return redirect(way_back) if way_back else super().response_post_save_change(request, obj)


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


def checklist_url(request: HttpRequest) -> str:
    """The checklist that `?checklist=` names: an event's, or 0 for that of a new one."""
    text = request.GET.get("checklist", "")
    if not text.isdecimal() or len(text) > 18:
        return ""
    event_id = int(text)
    return reverse("setup:checklist", args=[event_id]) if event_id else reverse("setup:start")


def change_url(thing: models.Model) -> str:
    return reverse(
        f"admin:{thing._meta.app_label}_{thing._meta.model_name}_change", args=[thing.pk]
    )

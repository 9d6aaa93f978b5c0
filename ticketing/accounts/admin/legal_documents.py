"""Legal documents, and who agreed to them."""

from typing import Any

from django.contrib import admin
from django.http import HttpRequest

from ticketing.accounts import services
from ticketing.accounts.models import Consent, LegalDocument
from ticketing.core import clock
from ticketing.core.admin.labels import LabelledDateTime
from ticketing.core.admin.pages import ReadOnlyAdmin


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

    def formfield_for_dbfield(self, db_field: Any, request: Any, **kwargs: Any) -> Any:
        if db_field.name == "published_at":
            kwargs["widget"] = LabelledDateTime(db_field.verbose_name)
        return super().formfield_for_dbfield(db_field, request, **kwargs)

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

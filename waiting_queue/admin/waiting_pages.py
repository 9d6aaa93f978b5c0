"""The admin of an event's own waiting page: its draft, and what is public of it."""

from typing import Any

from django import forms
from django.contrib import admin
from django.contrib.admin.options import InlineModelAdmin
from django.contrib.admin.widgets import AdminFileWidget
from django.forms import BaseModelFormSet, ModelForm
from django.http import HttpRequest
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext

from ticketing.core import clock
from ticketing.core.admin.labels import LabelledFormSet
from ticketing.core.admin.pages import operator
from ticketing.core.admin.picture_field import PictureField
from waiting_queue import services
from waiting_queue.admin.waiting_page_previews import WaitingPagePreviews
from waiting_queue.models import (
    MAX_HINTS,
    MAX_LINKS,
    WaitingPage,
    WaitingPageHint,
    WaitingPageLink,
)
from waiting_queue.models.page_colours import COLOURS
from waiting_queue.models.waiting_pages import SWITCHES
from waiting_queue.selectors.labels import NO_VALUE

TEXTS = ("headline_ko", "headline_en", "text_ko", "text_en")
PICTURE = ("picture", "picture_preview", "picture_text_ko", "picture_text_en")
TEXTS_HELP = _("Plain text, in both languages. Paragraphs are kept; there is no markup.")
PICTURE_HELP = _(
    "Shown three times as wide as high, above the line. Describe it for people who can't see it; "
    "leave that empty if it is only decoration."
)
COLOURS_HELP = _(
    "Each for the light and the dark theme of the reader's device. A colour that can't be read "
    "against the others (WCAG AA) is refused."
)
HINTS_HELP = _("Made from the event's own details; your own hints come first.")


class WaitingPageForm(forms.ModelForm):
    picture = PictureField(
        label=_("Picture"),
        required=False,
        widget=AdminFileWidget(attrs={"accept": "image/jpeg,image/png,image/webp"}),
        help_text=_("JPEG, PNG or WebP of at most 10 MB; it is made smaller by itself."),
    )

    class Meta:
        model = WaitingPage
        fields = (
            *("queue", *TEXTS, "picture", "picture_text_ko", "picture_text_en"),
            *(*COLOURS, *SWITCHES),
        )
        error_messages = {"queue": {"unique": _("This event already has a waiting page.")}}


class PagePart(InlineModelAdmin):
    """Links and hints belong to the page: whoever may see or change it may do so with them."""

    extra = 0
    formset = LabelledFormSet
    parent = "queue.{}_waitingpage"

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        user = request.user
        return any(user.has_perm(self.parent.format(name)) for name in ("view", "change"))

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm(self.parent.format("change" if obj else "add"))

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_change_permission(request, obj)

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_change_permission(request, obj)


class LinkInline(PagePart, admin.TabularInline):
    model = WaitingPageLink
    fields = ("label_ko", "label_en", "url", "order")
    max_num = MAX_LINKS


class HintInline(PagePart, admin.StackedInline):
    model = WaitingPageHint
    fields = (("title_ko", "title_en"), ("text_ko", "text_en"), "order")
    max_num = MAX_HINTS


@admin.register(WaitingPage)
class WaitingPageAdmin(WaitingPagePreviews):
    form = WaitingPageForm
    inlines = (HintInline, LinkInline)
    actions = None
    list_display = ("queue", "published_at")
    list_select_related = ("queue__event",)
    list_per_page = 50
    search_fields = ("queue__event__title_ko", "queue__event__title_en")
    autocomplete_fields = ("queue",)
    readonly_fields = ("status", "picture_preview")
    fieldsets = (
        (None, {"fields": ("queue", "status")}),
        (_("Words"), {"fields": TEXTS, "description": TEXTS_HELP}),
        (_("Picture"), {"fields": PICTURE, "description": PICTURE_HELP}),
        (_("Colours"), {"fields": COLOURS, "description": COLOURS_HELP}),
        (_("Hints while waiting"), {"fields": SWITCHES, "description": HINTS_HELP}),
    )

    def get_readonly_fields(
        self, request: HttpRequest, obj: WaitingPage | None = None
    ) -> tuple[str, ...]:
        return (*self.readonly_fields, "queue") if obj else self.readonly_fields

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        """A page is withdrawn, not deleted."""
        return False

    def get_object(
        self, request: HttpRequest, object_id: str, from_field: str | None = None
    ) -> WaitingPage | None:
        """Lock the queue while the draft is saved, so that no half of it is published."""
        page = super().get_object(request, object_id, from_field)
        if page is not None and request.method == "POST":
            services.queue_for_update(page.pk)
            page.refresh_from_db()
        return page

    # -- writing ----------------------------------------------------------------------------------

    def save_model(
        self, request: HttpRequest, obj: WaitingPage, form: ModelForm, change: bool
    ) -> None:
        """Save only what was changed: a page that was published meanwhile stays so."""
        if not change:
            obj.save(force_insert=True)
        elif form.changed_data:
            obj.save(update_fields=form.changed_data)

    def save_related(
        self, request: HttpRequest, form: Any, formsets: list[BaseModelFormSet], change: bool
    ) -> None:
        super().save_related(request, form, formsets, change)
        parts = [formset.prefix for formset in formsets if formset.has_changed()]
        if changed := [name for name in form.changed_data if name != "queue"] + parts:
            page, now = form.instance, clock.now()
            services.record_draft(event_id=page.pk, fields=changed, by=operator(request), now=now)

    # -- columns and fields -----------------------------------------------------------------------

    @admin.display(description=_("status"))
    def status(self, page: WaitingPage) -> str:
        if page.pk is None or page.published is None:
            return pgettext("of a waiting page", "draft")
        if page.is_published_as_it_is:
            return pgettext("of a waiting page", "published")
        return pgettext("of a waiting page", "published, with changes that are not public yet")

    @admin.display(description=_("preview"))
    def picture_preview(self, page: WaitingPage) -> SafeString | str:
        if not page.picture:
            return NO_VALUE
        return format_html('<img class="poster-preview" alt="" src="{}">', page.picture.url)

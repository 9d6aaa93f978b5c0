"""The admin of lanes: what each is, its keys, and who has used them."""

import csv
import io
from collections.abc import Iterable
from typing import Any

from django import forms
from django.contrib import admin, messages
from django.http import HttpRequest, HttpResponse
from django.urls import URLPattern
from django.utils.timezone import localtime
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from ticketing.core import clock
from ticketing.core.admin.forms import ReasonForm
from ticketing.core.admin.pages import SEOUL, PagesAdmin, operator
from ticketing.core.errors import InvalidInput, NotFound
from ticketing.core.spreadsheets import BOM, without_formula
from ticketing.events.models import Grade, Section
from waiting_queue import selectors, services
from waiting_queue.models import LANES_OR_MINUTES, Lane, SaleQueue

MAX_FILE_BYTES = 5_000_000
LIMITS = ("grades", "sections")
FAIRNESS_HELP = gettext_lazy(
    "Lanes in which people wait are called in turn, by their weights. The share of a lane that is "
    "empty goes to the others."
)


class LaneForm(forms.ModelForm):
    why = forms.CharField(
        label=gettext_lazy("Why"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text=gettext_lazy("Kept beside every change."),
    )

    class Meta:
        model = Lane
        fields = ("queue", "name_ko", "name_en", "key", "weight", "opens_at", *LIMITS)
        widgets = dict.fromkeys(LIMITS, forms.CheckboxSelectMultiple)

    def clean(self) -> dict[str, Any]:
        """Limits are of the same event; one lane is for everybody; the mode allows lanes."""
        cleaned: dict[str, Any] = super().clean() or self.cleaned_data
        queue = cleaned.get("queue") or (self.instance.queue if self.instance.pk else None)
        if queue is None:
            return cleaned
        if queue.mode == SaleQueue.Mode.MINUTE_DRAW:
            self.add_error(None, LANES_OR_MINUTES)
        others = queue.lanes.exclude(pk=self.instance.pk).filter(number=0)
        if cleaned.get("key") == Lane.Key.NONE and others.exists():
            self.add_error("key", _("There is a lane for everybody already."))
        if any(grade.event_id != queue.pk for grade in cleaned.get("grades", ())):
            self.add_error("grades", _("Choose price grades of this event."))
        if any(one.plan_id != queue.event.plan_id for one in cleaned.get("sections", ())):
            self.add_error("sections", _("Choose blocks of this event."))
        return cleaned


class KeysForm(ReasonForm):
    """A CSV with keys, for any lane that has some."""

    file = forms.FileField(
        label=gettext_lazy("CSV file"),
        help_text=gettext_lazy(
            "One key a line: a code; an e-mail address; or, for a fan club, an e-mail address and "
            "a membership number. A line that the lane has already changes nothing."
        ),
    )
    field_order = ["file", "reason"]

    def clean_file(self) -> str:
        file = self.cleaned_data["file"]
        if file.size > MAX_FILE_BYTES:
            raise forms.ValidationError(_("The file is larger than 5 MB."))
        raw: bytes = file.read()
        for encoding in ("utf-8-sig", "cp949"):  # the second as Korean spreadsheets save it
            try:
                return raw.decode(encoding)
            except UnicodeDecodeError:
                continue
        raise forms.ValidationError(_("Save the file as UTF-8."))


class CodesForm(ReasonForm):
    count = forms.IntegerField(
        label=gettext_lazy("Number of codes"),
        min_value=1,
        max_value=services.MAX_KEYS,
        help_text=gettext_lazy(
            "They are downloaded once, now: only their hashes are kept. Save the file."
        ),
    )
    field_order = ["count", "reason"]


@admin.register(Lane)
class LaneAdmin(PagesAdmin):
    form = LaneForm
    actions = None
    list_display = ("queue", "number", "name", "key", "weight", "opens_at")
    list_select_related = ("queue__event",)
    list_filter = ("key",)
    list_per_page = 50
    search_fields = ("queue__event__title_ko", "queue__event__title_en", "name_ko", "name_en")
    autocomplete_fields = ("queue",)
    fieldsets = (
        (None, {"fields": ("queue", "name_ko", "name_en", "key")}),
        (gettext_lazy("When"), {"fields": ("opens_at",), "description": SEOUL}),
        (gettext_lazy("Fairness"), {"fields": ("weight",), "description": FAIRNESS_HELP}),
        (gettext_lazy("What they may buy"), {"fields": LIMITS}),
        (None, {"fields": ("why",)}),
    )

    def get_urls(self) -> list[URLPattern]:
        return [
            self.route("<int:pk>/keys/", self.keys_view, "lane_keys"),
            self.route("<int:pk>/codes/", self.codes_view, "lane_codes"),
            self.route("<int:pk>/export/", self.export_view, "lane_export"),
            *super().get_urls(),
        ]

    def get_readonly_fields(self, request: HttpRequest, obj: Lane | None = None) -> tuple[str, ...]:
        """Keys are hashes of their kind: the kind stays."""
        return ("queue", "key") if obj else ()

    def get_form(self, request: Any, obj: Any = None, change: bool = False, **kwargs: Any) -> Any:
        """Offer the grades and blocks of the lane's event."""
        form = super().get_form(request, obj, change=change, **kwargs)
        queue = obj.queue if obj else _queue_named_in(request)
        fields: dict[str, Any] = form.base_fields
        if queue is not None and "grades" in fields:
            fields["grades"].queryset = Grade.objects.filter(event_id=queue.pk)
            sections = Section.objects.filter(plan_id=queue.event.plan_id)
            fields["sections"].queryset = sections
        return form

    def change_view(
        self,
        request: HttpRequest,
        object_id: str,
        form_url: str = "",
        extra_context: dict[str, Any] | None = None,
    ) -> HttpResponse:
        lane = self.get_object(request, object_id)
        counts = selectors.key_counts(lane.queue_id).get(lane.pk, (0, 0)) if lane else (0, 0)
        context = {"key_count": counts[0], "used_count": counts[1]} | (extra_context or {})
        return super().change_view(request, object_id, form_url, context)

    # -- writing ----------------------------------------------------------------------------------

    def save_model(self, request: HttpRequest, obj: Lane, form: Any, change: bool) -> None:
        limits = {name: form.cleaned_data[name] for name in LIMITS}
        audit = {"by": operator(request), "why": form.cleaned_data["why"], "now": clock.now()}
        services.save_lane(lane=obj, limits=limits, **audit)

    def save_related(self, request: HttpRequest, form: Any, formsets: Any, change: bool) -> None:
        """The service has saved them."""

    def delete_model(self, request: HttpRequest, obj: Lane) -> None:
        services.delete_lane(lane=obj, by=operator(request), now=clock.now())

    def has_delete_permission(self, request: HttpRequest, obj: Lane | None = None) -> bool:
        """Nobody can be in the lane of a line that has not started."""
        not_begun = obj is None or obj.queue.state == SaleQueue.State.SCHEDULED
        return not_begun and super().has_delete_permission(request, obj)

    # -- keys -------------------------------------------------------------------------------------

    def keys_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Upload keys; what is wrong is said line by line, and then nothing is added."""
        lane = self._lane_with_keys(request, pk)
        form = KeysForm(request.POST or None, request.FILES or None)
        if form.is_valid():
            text, audit = form.cleaned_data["file"], self._audit_fields(request, form)
            try:
                added, known = services.import_keys(lane=lane, text=text, **audit)
            except InvalidInput as invalid:
                form.add_error("file", invalid.details["fields"]["file"])
            else:
                message = _("%(added)s keys were added, %(known)s were there already.")
                counts = {"added": added, "known": known}
                self.message_user(request, message % counts, messages.SUCCESS)
                return self.back_to(lane)
        title = _("%(lane)s: upload keys") % {"lane": lane}
        return self.page(request, "lane_keys", title, lane=lane, form=form, uploads=True)

    def codes_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Make codes, and download them."""
        lane = self._lane_with_keys(request, pk)
        if lane.key not in Lane.GENERATED:
            raise NotFound()
        form = CodesForm(request.POST or None)
        if form.is_valid():
            count, audit = form.cleaned_data["count"], self._audit_fields(request, form)
            codes = services.generate_codes(lane=lane, count=count, **audit)
            return _csv([["code"], *([code] for code in codes)], f"codes-lane-{lane.pk}.csv")
        title = _("%(lane)s: make codes") % {"lane": lane}
        return self.page(request, "lane_keys", title, lane=lane, form=form, uploads=False)

    def export_view(self, request: HttpRequest, pk: int) -> HttpResponse:
        """Download the keys and their use. Of codes the last letters are known."""
        lane = self._lane_with_keys(request, pk)
        services.record_export(lane=lane, by=operator(request), now=clock.now())
        rows = (
            [key, without_formula(person), localtime(at).isoformat() if at else ""]
            for key, person, at in selectors.key_rows(lane)
        )
        return _csv([["key", "used_by", "used_at"], *rows], f"keys-lane-{lane.pk}.csv")

    def _lane_with_keys(self, request: HttpRequest, pk: int) -> Lane:
        lane: Lane = self.changeable(request, pk)
        if lane.key == Lane.Key.NONE:
            raise NotFound()
        return lane

    def _audit_fields(self, request: HttpRequest, form: ReasonForm) -> dict[str, Any]:
        return {"by": operator(request), "why": form.cleaned_data["reason"], "now": clock.now()}


def _queue_named_in(request: HttpRequest) -> SaleQueue | None:
    """Return the queue that a new lane is for."""
    named = request.POST.get("queue") or request.GET.get("queue") or ""
    return SaleQueue.objects.filter(pk=int(named)).first() if named.isdecimal() else None


def _csv(rows: Iterable[list[str]], name: str) -> HttpResponse:
    out = io.StringIO()
    csv.writer(out).writerows(rows)
    headers = {
        "content-disposition": f'attachment; filename="{name}"',
        "cache-control": "no-store",
    }
    body = (BOM + out.getvalue()).encode()
    return HttpResponse(body, content_type="text/csv; charset=utf-8", headers=headers)

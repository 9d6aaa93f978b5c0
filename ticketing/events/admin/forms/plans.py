"""Forms for a new seat plan: a file, or lines of blocks."""

from typing import Any, cast

from django import forms
from django.core.exceptions import ValidationError
from django.http import QueryDict
from django.utils.translation import gettext_lazy as _

from ticketing.events.admin.forms.uploads import Upload, load_upload, store_upload
from ticketing.events.models import SeatPlan, Venue
from ticketing.events.plans.block_checks import LENGTHS, LIMITS, block_problems
from ticketing.events.plans.draft import MAX_SEATS, SEATED, STANDING, PlanDraft
from ticketing.events.plans.errors import Problem
from ticketing.events.plans.files import MAX_BYTES, Inspection, inspect_plan
from ticketing.events.plans.generate import LETTERS, NUMBERS, Block, generate

# Larger plans are imported from a file.
MOST_BLOCKS = 60


class PlanForm(forms.Form):
    venue = forms.ModelChoiceField(label=_("Venue"), queryset=Venue.objects.all())
    name = forms.CharField(label=_("Name of the plan"), max_length=80)

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if not self.errors and SeatPlan.objects.filter(**_key(cleaned)).exists():
            self.add_error("name", _("This venue already has a seat plan of that name."))
        return cleaned


class PlanFileForm(PlanForm):
    """The file comes with the form, or was stored by an earlier preview."""

    file = forms.FileField(
        label=_("File"), required=False, help_text=_("CSV, JSON or SVG, at most 10 MB.")
    )
    token = forms.CharField(required=False, widget=forms.HiddenInput)

    def __init__(self, *args: Any, user_id: int, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.user_id = user_id
        self.sent = Upload(name="", content=b"")
        self.inspection = Inspection(PlanDraft(), [])

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean()
        self.sent = self._upload(cleaned)
        self.inspection = inspect_plan(self.sent.name, self.sent.content)
        if self.inspection.problems:
            raise ValidationError(_("This file can't be used. Nothing was imported."))
        return cleaned

    def _upload(self, cleaned: dict[str, Any]) -> Upload:
        if file := cleaned.get("file"):
            # One byte over the limit is enough for the file to be refused.
            return Upload(name=file.name, content=file.read(MAX_BYTES + 1))
        upload = load_upload(self.user_id, cleaned.get("token", ""))
        if upload is None:
            raise ValidationError({"file": _("Choose the file.")})
        return upload

    def store_file(self) -> str:
        """Store the file until its preview is confirmed, and return its token."""
        return store_upload(self.user_id, self.sent)


def _limited(name: str, label: Any, **kwargs: Any) -> forms.IntegerField:
    low, high = LIMITS[name]
    return forms.IntegerField(label=label, min_value=low, max_value=high, **kwargs)


class BlockForm(forms.Form):
    """One line: a section of the plan. An empty line is skipped."""

    code = forms.CharField(label=_("code"), max_length=LENGTHS["code"])
    name_ko = forms.CharField(
        label=_("name in Korean"), max_length=LENGTHS["name_ko"], required=False
    )
    name_en = forms.CharField(
        label=_("name in English"), max_length=LENGTHS["name_en"], required=False
    )
    grade = forms.CharField(label=_("grade"), max_length=LENGTHS["grade"])
    kind = forms.ChoiceField(
        label=_("kind"), choices=[(SEATED, _("seated")), (STANDING, _("standing"))], initial=SEATED
    )
    rows = _limited("rows", _("rows"), required=False)
    seats_per_row = _limited("seats_per_row", _("seats per row"), required=False)
    growth = _limited("growth", _("more per row"), required=False, initial=0)
    row_labels = forms.ChoiceField(
        label=_("rows named by"),
        choices=[(NUMBERS, _("numbers")), (LETTERS, _("letters"))],
        initial=NUMBERS,
    )
    aisles_after = forms.RegexField(
        r"^\s*(\d{1,3}(\s*,\s*\d{1,3})*)?\s*$", label=_("aisles after seat"), required=False
    )
    curved = forms.BooleanField(label=_("curved"), required=False)
    wheelchair_places = _limited(
        "wheelchair_places", _("wheelchair places"), required=False, initial=0
    )
    capacity = forms.IntegerField(
        label=_("standing room"), min_value=1, max_value=MAX_SEATS, required=False
    )
    column = _limited("column", _("column in the plan"), initial=1)
    grid_row = _limited("grid_row", _("row in the plan"), initial=1)

    def block(self) -> Block:
        values = {name: value for name, value in self.cleaned_data.items() if value is not None}
        aisles = values.pop("aisles_after", "")
        numbers = tuple(int(part) for part in aisles.split(",") if part.strip())
        return Block(**values, aisles_after=numbers)


class BaseBlockFormSet(forms.BaseFormSet):
    problems: list[Problem] = []

    def clean(self) -> None:
        if not any(self.errors):
            self.problems = block_problems(self.blocks())

    def blocks(self) -> list[Block]:
        return [form.block() for form in self.forms if form.has_changed()]

    def draft(self) -> PlanDraft:
        return generate(self.blocks())


BlockFormSet = forms.formset_factory(
    BlockForm, formset=BaseBlockFormSet, extra=3, max_num=MOST_BLOCKS, absolute_max=MOST_BLOCKS
)


def block_lines(data: QueryDict | None) -> BaseBlockFormSet:
    return cast(BaseBlockFormSet, BlockFormSet(data))


def _key(cleaned: dict[str, Any]) -> dict[str, Any]:
    return {"venue": cleaned["venue"], "name": cleaned["name"]}

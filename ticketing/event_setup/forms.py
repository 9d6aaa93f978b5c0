"""The form that duplicates an event."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.labels import LabelledDateTime


class DuplicateForm(forms.Form):
    title_ko = forms.CharField(label=_("Title in Korean"), max_length=120)
    title_en = forms.CharField(label=_("Title in English"), max_length=120)
    starts_at = forms.SplitDateTimeField(
        label=_("Starts"),
        widget=LabelledDateTime(_("starts")),
        help_text=_("All other times keep their distance to the start."),
    )

    @property
    def titles(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in ("title_ko", "title_en")}

"""Names of form controls for screen readers, where the page shows none beside them."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminSplitDateTime
from django.utils.text import capfirst
from django.utils.translation import gettext as _


def label_widgets(form: forms.BaseForm) -> None:
    """Name each control after its field: in a table only the column has a heading."""
    for name, field in form.fields.items():
        field.widget.attrs["aria-label"] = capfirst(str(field.label or name))


class LabelledFormSet(forms.BaseInlineFormSet):
    """The lines of a table in a form, each control with a name."""

    def add_fields(self, form: Any, index: int | None) -> None:
        super().add_fields(form, index)
        label_widgets(form)


class LabelledDateTime(AdminSplitDateTime):
    """Django's two boxes, each with a name of its own."""

    def __init__(self, label: Any, attrs: dict[str, Any] | None = None) -> None:
        super().__init__(attrs)
        self.label = label

    def get_context(self, name: str, value: Any, attrs: dict[str, Any] | None) -> dict[str, Any]:
        context = super().get_context(name, value, attrs)
        for part, label in zip(
            context["widget"]["subwidgets"], (_("date"), _("time")), strict=True
        ):
            part["attrs"]["aria-label"] = f"{capfirst(str(self.label))}: {label}"
        return context

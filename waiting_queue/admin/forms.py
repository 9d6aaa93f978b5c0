"""Forms of the queue's admin pages."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.forms import ReasonForm
from waiting_queue.models import (
    KNOBS,
    NOTICE_MAX_LENGTH,
    PUBLIC_VALUE_MAX_LENGTH,
    SaleQueue,
    one_plain_line,
)
from waiting_queue.services import mode_choices

MAX_FILE_BYTES = 1_000_000


class QueueForm(forms.ModelForm):
    why = forms.CharField(
        label=_("Why"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text=_("Kept beside every change."),
    )

    class Meta:
        model = SaleQueue
        fields = ("event", *KNOBS)
        error_messages = {"event": {"unique": _("This event already has a queue.")}}

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        if self.instance.pk is None and "opens_at" in self.fields:
            self.fields["opens_at"].required = False
            self.fields["opens_at"].help_text = _("Empty: together with the sale.")
        if self.instance.pk and "mode" in self.fields:
            self.fields["mode"].choices = mode_choices(self.instance)  # type: ignore[attr-defined]

    @property
    def changed_knobs(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data if name in KNOBS}


class EmailForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail"), widget=forms.EmailInput(attrs={"class": "vTextField"})
    )


class DemotionForm(ReasonForm):
    """A group: typed, or in a file with one entry a line."""

    people = forms.CharField(
        label=_("People"),
        required=False,
        widget=forms.Textarea(attrs={"rows": 8, "class": "vLargeTextField"}),
        help_text=_(
            "E-mail addresses, numbers in line (#12), ranges of them (#12-#40) or account ids, "
            "one a line or with commas."
        ),
    )
    file = forms.FileField(label=_("or a file"), required=False, max_length=100)
    field_order = ["people", "file", "reason"]

    def clean(self) -> dict[str, Any]:
        data = super().clean() or self.cleaned_data
        upload = data.get("file")
        if upload and upload.size > MAX_FILE_BYTES:
            raise forms.ValidationError(_("The file is too large."))
        text = upload.read().decode("utf-8-sig", errors="replace") if upload else ""
        data["people"] = f"{data.get('people', '')}\n{text}".strip()
        if not data["people"]:
            raise forms.ValidationError(_("Name the people, or choose a file."))
        return data


class BypassForm(ReasonForm):
    queue = forms.ModelChoiceField(
        label=_("Queue"), queryset=SaleQueue.objects.exclude(state=SaleQueue.State.CLOSED)
    )
    email = EmailForm.base_fields["email"]
    field_order = ["queue", "email", "reason"]


class AnnouncementForm(ReasonForm):
    public_value_source = forms.CharField(
        label=_("Which value"),
        max_length=PUBLIC_VALUE_MAX_LENGTH,
        required=False,
        validators=[one_plain_line],
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
        help_text=_(
            "A value that nobody can know or influence now, and anyone can look up then, such as "
            "the numbers of a lottery on a given day. Empty: none."
        ),
    )
    field_order = ["public_value_source", "reason"]


class PublicValueForm(ReasonForm):
    public_value = forms.CharField(
        label=_("Value"),
        max_length=PUBLIC_VALUE_MAX_LENGTH,
        validators=[one_plain_line],
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
        help_text=_("It can’t be changed afterwards."),
    )
    field_order = ["public_value", "reason"]


class NoticeForm(ReasonForm):
    message = forms.CharField(
        label=_("Message"),
        max_length=NOTICE_MAX_LENGTH,
        required=False,
        validators=[one_plain_line],
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
        help_text=_("At most 300 letters in one line. Empty: there is no message any more."),
    )
    field_order = ["message", "reason"]

"""Forms of the queue's admin pages."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.forms import ReasonForm
from waiting_queue.models import KNOBS, NOTICE_MAX_LENGTH, SaleQueue, one_plain_line


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

    @property
    def changed_knobs(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data if name in KNOBS}


class EmailForm(forms.Form):
    email = forms.EmailField(
        label=_("E-mail"), widget=forms.EmailInput(attrs={"class": "vTextField"})
    )


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

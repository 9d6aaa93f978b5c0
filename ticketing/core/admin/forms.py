"""Forms that the admin pages of several apps use."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _


class ReasonForm(forms.Form):
    reason = forms.CharField(label=_("Why"), max_length=200, required=False)

    def __init__(self, *args: Any, required: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].required = required


class CloseForm(ReasonForm):
    """Closing the line of a sale asks what follows."""

    ENDS, OPEN_SALE = "ends", "open_sale"
    then = forms.ChoiceField(
        label=_("What follows"),
        choices=[
            (ENDS, _("The sale is closed: nobody can buy.")),
            (OPEN_SALE, _("The sale goes on without a line: everybody can buy at once.")),
        ],
        widget=forms.RadioSelect,
    )
    field_order = ["then", "reason"]

"""The form that starts a rehearsal."""

from typing import Any

from django import forms
from django.utils.translation import gettext_lazy as _

from ticketing.rehearsal import gateway_ledger
from ticketing.rehearsal.models import Rehearsal

Faults = Rehearsal.Faults
MAX_FANS = 20_000


class RehearseForm(forms.Form):
    fans = forms.IntegerField(
        label=_("Simulated fans"),
        min_value=1,
        max_value=MAX_FANS,
        initial=1_000,
        help_text=_(
            "They use the same pages and calls as everybody, from this site's own machine."
        ),
    )
    minutes = forms.IntegerField(
        label=_("Minutes"),
        min_value=1,
        max_value=60,
        initial=3,
        help_text=_("From the opening of the sale to its end."),
    )
    profile = forms.ChoiceField(label=_("Arrival pattern"), choices=Rehearsal.Profile.choices)
    faults = forms.ChoiceField(
        label=_("Faults to simulate"),
        help_text=_("Servers are only killed by the command, on a throw-away site of its own."),
    )

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        """Offer faults of the gateway only where it is the sandbox."""
        super().__init__(*args, **kwargs)
        possible = [Faults.NONE, Faults.SOME] if gateway_ledger.is_sandbox() else [Faults.NONE]
        field: Any = self.fields["faults"]
        field.choices = [(fault.value, fault.label) for fault in possible]

    @property
    def options(self) -> dict[str, Any]:
        return self.cleaned_data | {"seed": 1, "knobs": {}}

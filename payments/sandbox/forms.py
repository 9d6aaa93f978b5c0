"""The form of the payment window."""

from django import forms
from django.utils.translation import gettext_lazy as _

from payments.sandbox.behaviours import LONGEST, NEVER, SECONDS, UNANSWERED, Behaviour


class BehaviourForm(forms.Form):
    behaviour = forms.ChoiceField(label=_("What should happen?"), choices=Behaviour.choices)
    seconds = forms.FloatField(
        label=_("Seconds"),
        initial=SECONDS,
        min_value=0,
        max_value=LONGEST,
        help_text=_("For everything that is late or slow."),
    )

    def clean_behaviour(self) -> Behaviour:
        return Behaviour(self.cleaned_data["behaviour"])

    @property
    def seconds_to_wait(self) -> float:
        never = self.cleaned_data["behaviour"] in UNANSWERED
        return NEVER if never else self.cleaned_data["seconds"]

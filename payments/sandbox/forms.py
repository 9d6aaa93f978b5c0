"""The forms of the payment window and of the window for identities."""

from django import forms
from django.core.validators import RegexValidator
from django.utils.translation import gettext_lazy as _

from payments.sandbox.behaviours import LONGEST, NEVER, SECONDS, UNANSWERED, Behaviour

PHONE = RegexValidator(r"^[0-9 -]{9,20}$", _("Use digits, spaces and dashes only."))


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


class PersonForm(forms.Form):
    name = forms.CharField(label=_("Name"), max_length=40)
    birth_date = forms.DateField(
        label=_("Date of birth"), widget=forms.DateInput(attrs={"type": "date"})
    )
    phone = forms.CharField(label=_("Phone"), max_length=20, validators=[PHONE])

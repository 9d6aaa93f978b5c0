"""The forms of the console."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from ticketing.console.errors import WrongCode
from ticketing.console.models import Autopilot
from ticketing.console.pilot import Limits
from ticketing.console.services import KNOBS
from ticketing.events.admin.forms.events import RELEASE, HoldBackForm
from ticketing.events.models import Event, Seat
from waiting_queue.admin.forms import QueueForm

FREEZE, UNFREEZE = "freeze", "unfreeze"


class KnobsForm(QueueForm):
    """The knobs that are turned while a sale runs; its dates are set on the queue's own page."""

    class Meta(QueueForm.Meta):
        fields = KNOBS  # type: ignore[assignment]
        labels = {
            "max_inside": _("People inside, at most"),
            "pass_seconds": _("Pass, in seconds"),
            "pass_max_seconds": _("Longest stay, in seconds"),
            "claim_seconds": _("Time to claim, in seconds"),
            "absence_seconds": _("Absence, in seconds"),
        }


class AutopilotForm(forms.ModelForm):
    """Between which rates it may move, and which times it keeps."""

    why = forms.CharField(label=_("Why"), max_length=200, required=False)

    class Meta:
        model = Autopilot
        fields = ("lowest", "highest", "page_ms", "database_ms")

    @property
    def limits(self) -> Limits:
        return Limits(**{name: self.cleaned_data[name] for name in self._meta.fields or ()})


class CodeForm(forms.Form):
    code = forms.CharField(
        label=_("Code"),
        max_length=20,
        widget=forms.TextInput(
            attrs={"autocomplete": "one-time-code", "autofocus": True, "spellcheck": "false"}
        ),
    )

    def __init__(self, *args: Any, check: Callable[..., Any], **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._check, self.outcome = check, cast(Any, None)

    def clean_code(self) -> str:
        try:
            self.outcome = self._check(code=self.cleaned_data["code"])
        except WrongCode as refusal:
            raise forms.ValidationError(str(refusal)) from refusal
        return str(self.cleaned_data["code"])


class SearchForm(forms.Form):
    who = forms.CharField(
        label=_("E-mail, or number in line"),
        max_length=254,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"}),
    )


class ReleaseForm(HoldBackForm):
    """Seats that were held back go on sale, by section, rows and numbers."""

    action = forms.ChoiceField(
        choices=[(RELEASE, RELEASE)], widget=forms.HiddenInput, initial=RELEASE
    )


class SeatForm(forms.Form):
    """One seat, by the name that is printed on its ticket."""

    seat = forms.CharField(
        label=_("Seat"), max_length=40, help_text=_("Section, row and number, such as A-3-12.")
    )
    action = forms.ChoiceField(
        label=_("What"),
        choices=[
            (FREEZE, _("freeze: nobody can take it")),
            (UNFREEZE, _("unfreeze: it is on sale")),
        ],
    )
    reason = forms.CharField(label=_("Why"), max_length=200)

    def __init__(self, *args: Any, event: Event, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.event = event

    def clean_seat(self) -> Seat:
        section, *rest = self.cleaned_data["seat"].strip().upper().split("-")
        row, number = ("-".join(rest[:-1]), rest[-1]) if rest else ("", "")
        seats = self.event.seats.filter(section__code__iexact=section, place__row__iexact=row)
        digits = number.isdigit() and len(number) < 10
        found = seats.filter(place__number=int(number)).first() if digits else None
        if found is None:
            raise forms.ValidationError(_("This event has no such seat."))
        return found

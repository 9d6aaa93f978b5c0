"""The forms of the console."""

from collections.abc import Callable
from typing import Any, cast

from django import forms
from django.utils.translation import gettext_lazy as _

from ticketing.accounts.errors import WrongCode
from ticketing.console.models import Autopilot
from ticketing.console.services import KNOBS, AutopilotBounds
from ticketing.core.admin.forms import ReasonForm
from ticketing.events.models import Event, Seat, Section
from ticketing.events.selectors import SEAT_RANGE_FIELDS, seats_in_range
from waiting_queue.models import SaleQueue, one_plain_line
from waiting_queue.selectors.labels import PAUSE_REASONS
from waiting_queue.services import mode_choices

FREEZE, UNFREEZE = "freeze", "unfreeze"


class KnobsForm(forms.ModelForm):
    """The knobs to set while a sale runs; the dates are on the admin page of the queue."""

    why = forms.CharField(
        label=_("Why"),
        max_length=200,
        required=False,
        widget=forms.TextInput(attrs={"class": "vTextField"}),
        help_text=_("Kept beside every change."),
    )

    class Meta:
        model = SaleQueue
        fields = KNOBS
        labels = {
            "max_inside": _("People inside, at most"),
            "pass_seconds": _("Pass, in seconds"),
            "pass_max_seconds": _("Longest stay, in seconds"),
            "claim_seconds": _("Time to claim, in seconds"),
            "absence_seconds": _("Absence, in seconds"),
        }

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["mode"].choices = mode_choices(self.instance)  # type: ignore[attr-defined]

    @property
    def changed_knobs(self) -> dict[str, Any]:
        return {name: self.cleaned_data[name] for name in self.changed_data if name in KNOBS}


class PauseForm(ReasonForm):
    """Pausing asks why: one of the usual reasons, or in one's own words."""

    preset = forms.ChoiceField(
        label=_("Reason"), choices=list(PAUSE_REASONS.items()), required=False
    )
    field_order = ["preset", "reason"]

    def __init__(self, *args: Any, required: bool = False, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.fields["reason"].label = _("In your own words instead")

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        cleaned["reason"] = cleaned.get("reason") or cleaned.get("preset") or ""
        if not cleaned["reason"]:
            self.add_error("reason", _("Say why."))
        return cleaned


class NoticeForm(ReasonForm):
    message = forms.CharField(
        label=_("Message"),
        max_length=SaleQueue._meta.get_field("notice").max_length,
        required=False,
        validators=[one_plain_line],
        widget=forms.TextInput(attrs={"class": "vLargeTextField"}),
        help_text=_("At most 300 letters in one line. Empty: there is no message any more."),
    )
    field_order = ["message", "reason"]


class AutopilotForm(forms.ModelForm):
    """The range of the rate, and the response time targets."""

    why = forms.CharField(label=_("Why"), max_length=200, required=False)

    class Meta:
        model = Autopilot
        fields = ("lowest", "highest", "page_ms", "database_ms")

    @property
    def bounds(self) -> AutopilotBounds:
        return AutopilotBounds(
            **{name: self.cleaned_data[name] for name in self._meta.fields or ()}
        )


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
        self._check, self.result = check, cast(Any, None)

    def clean_code(self) -> str:
        try:
            self.result = self._check(code=self.cleaned_data["code"])
        except WrongCode as error:
            raise forms.ValidationError(str(error)) from error
        return str(self.cleaned_data["code"])


class SearchForm(forms.Form):
    who = forms.CharField(
        label=_("E-mail, or number in line"),
        max_length=254,
        widget=forms.TextInput(attrs={"class": "vTextField", "autocomplete": "off"}),
    )


class ReleaseForm(forms.Form):
    """Held-back seats to put on sale, by section, rows and numbers."""

    section = forms.ModelChoiceField(label=_("Section"), queryset=Section.objects.none())
    first_row = forms.CharField(label=_("From row"), max_length=8, required=False)
    last_row = forms.CharField(label=_("To row"), max_length=8, required=False)
    first_number = forms.IntegerField(label=_("From number"), min_value=1, required=False)
    last_number = forms.IntegerField(label=_("To number"), min_value=1, required=False)
    reason = forms.CharField(label=_("Why"), max_length=200)

    def __init__(self, *args: Any, event: Event, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.event = event
        self.fields["section"].queryset = event.plan.sections.all()  # type: ignore[attr-defined]
        self.seat_ids: list[int] = []

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        ranges = {name: cleaned[name] for name in SEAT_RANGE_FIELDS}
        held_back = seats_in_range(self.event, **ranges).filter(state=Seat.State.BLOCKED)
        self.seat_ids = list(held_back.values_list("pk", flat=True))
        if not self.seat_ids:
            raise forms.ValidationError(
                _("None of these seats is %(state)s."), params={"state": Seat.State.BLOCKED.label}
            )
        return cleaned


class SeatForm(forms.Form):
    """One seat, by the name printed on its ticket."""

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
        is_number = number.isdecimal() and len(number) < 10
        seat = seats.filter(place__number=int(number)).first() if is_number else None
        if seat is None:
            raise forms.ValidationError(_("This event has no such seat."))
        return seat

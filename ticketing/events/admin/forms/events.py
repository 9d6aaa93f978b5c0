"""Forms of the event pages."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminFileWidget
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.labels import LabelledFormSet
from ticketing.core.admin.picture_field import PictureField
from ticketing.events.models import Event, Grade, Seat, Section
from ticketing.events.selectors import SEAT_RANGE_FIELDS, plan_grades, seats_in_range

HOLD_BACK, RELEASE = "hold_back", "release"
NO_PRICE = _("The seat plan has places of these grades, which need a price: %(codes)s.")
NO_PLACES = _("The seat plan has no places of these grades: %(codes)s.")
REQUIRED_STATE = {HOLD_BACK: Seat.State.AVAILABLE, RELEASE: Seat.State.BLOCKED}


class EventForm(forms.ModelForm):
    poster = PictureField(
        label=_("Poster"),
        required=False,
        widget=AdminFileWidget(attrs={"accept": "image/jpeg,image/png,image/webp"}),
        help_text=_("JPEG, PNG or WebP of at most 10 MB; it is made smaller by itself."),
    )

    class Meta:
        model = Event
        fields = (
            *("title_ko", "title_en", "description_ko", "description_en", "organiser", "plan"),
            *("cast_ko", "cast_en", "notices_ko", "notices_en"),
            *("running_minutes", "admission_age"),
            *("on_sale_at", "doors_at", "starts_at", "ends_at", "currency", "poster"),
            *("seats_per_person", "hold_seconds", "payment_seconds", "no_orphans", "without_line"),
            *("identity_level", "minimum_age"),
            *("rename_hours", "transfer_hours", "mails_tickets", "entry_numbers"),
            *("returns", "returns_at", "returns_minutes", "offer_seconds"),
        )


class GradeForm(forms.ModelForm):
    class Meta:
        model = Grade
        fields = ("code", "name_ko", "name_en", "price", "colour", "order")
        widgets = {"colour": forms.TextInput(attrs={"type": "color"})}


class GradeFormSet(LabelledFormSet):
    """An event has a price for every grade of its plan and for no other, or no prices yet."""

    def clean(self) -> None:
        super().clean()
        if any(self.errors) or self.instance.plan_id is None:
            return
        kept = [form for form in self.forms if form not in self.deleted_forms]
        codes, new = _codes(kept), _codes([form for form in kept if form.instance.pk is None])
        planned = set(plan_grades(self.instance.plan_id))
        # Seats keep grades that were added before this was checked.
        has_seats = self.instance.pk is not None and self.instance.seats.exists()
        if missing := sorted(planned - codes) if codes else []:
            raise ValidationError(NO_PRICE, params={"codes": ", ".join(missing)})
        if unknown := sorted((new if has_seats else codes) - planned):
            raise ValidationError(NO_PLACES, params={"codes": ", ".join(unknown)})


def _codes(grades: list[Any]) -> set[str]:
    return {str(form.cleaned_data["code"]) for form in grades if form.cleaned_data.get("code")}


class HoldBackForm(forms.Form):
    """Selects seats by section, rows and numbers; `seat_ids` are those in the right state."""

    action = forms.ChoiceField(
        label=_("What"),
        choices=[(HOLD_BACK, _("hold back from the sale")), (RELEASE, _("put on sale again"))],
        widget=forms.RadioSelect,
    )
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
        self.skipped = 0

    def clean(self) -> dict[str, Any]:
        cleaned = super().clean() or {}
        if self.errors:
            return cleaned
        ranges = {name: cleaned[name] for name in SEAT_RANGE_FIELDS}
        seats = seats_in_range(self.event, **ranges).values_list("pk", "state")
        state = REQUIRED_STATE[cleaned["action"]]
        self.seat_ids = [pk for pk, current in seats if current == state]
        self.skipped = len(seats) - len(self.seat_ids)
        if not self.seat_ids:
            raise ValidationError(
                _("None of these seats is %(state)s."), params={"state": state.label}
            )
        return cleaned

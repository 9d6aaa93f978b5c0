"""Forms of the event pages."""

from typing import Any

from django import forms
from django.contrib.admin.widgets import AdminFileWidget
from django.core.exceptions import ValidationError
from django.utils.translation import gettext_lazy as _

from ticketing.events.admin.poster_field import PosterField
from ticketing.events.models import Event, Grade, Seat, Section
from ticketing.events.selectors import SEAT_RANGE_FIELDS, seats_in_range

HOLD_BACK, RELEASE = "hold_back", "release"
REQUIRED_STATE = {HOLD_BACK: Seat.State.AVAILABLE, RELEASE: Seat.State.BLOCKED}


class EventForm(forms.ModelForm):
    poster = PosterField(
        label=_("Poster"),
        required=False,
        widget=AdminFileWidget(attrs={"accept": "image/jpeg,image/png,image/webp"}),
        help_text=_("JPEG, PNG or WebP of at most 10 MB; it is made smaller by itself."),
    )

    class Meta:
        model = Event
        fields = (
            *("title_ko", "title_en", "description_ko", "description_en", "organiser", "plan"),
            *("on_sale_at", "doors_at", "starts_at", "ends_at", "currency", "poster"),
            *("seats_per_person", "hold_seconds", "payment_seconds", "no_orphans"),
            *("rename_hours", "transfer_hours", "mails_tickets"),
            *("returns", "returns_at", "returns_minutes", "offer_seconds"),
        )


class GradeForm(forms.ModelForm):
    class Meta:
        model = Grade
        fields = ("code", "name_ko", "name_en", "price", "colour", "order")
        widgets = {"colour": forms.TextInput(attrs={"type": "color"})}


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

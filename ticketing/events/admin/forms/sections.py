"""The form of a section of a seat plan."""

from django import forms
from django.contrib.admin.widgets import AdminFileWidget
from django.utils.translation import gettext_lazy as _

from ticketing.core.admin.picture_field import PictureField
from ticketing.events.models import Section

LONGEST_SIDE = 960


class SectionForm(forms.ModelForm):
    view = PictureField(
        label=_("View of the stage"),
        required=False,
        longest_side=LONGEST_SIDE,
        widget=AdminFileWidget(attrs={"accept": "image/jpeg,image/png,image/webp"}),
        help_text=_("Shown beside the seat map. JPEG, PNG or WebP of at most 10 MB."),
    )

    class Meta:
        model = Section
        fields = ("view",)

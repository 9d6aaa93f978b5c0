"""Cancellation terms in the admin: a line for each fee, and the day of the show by itself."""

from typing import Any

from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.utils.html import format_html, format_html_join
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from payments.models import RefundPolicy
from payments.models.policies import check_tiers
from ticketing.core.admin.pages import PagesAdmin

LINES = 6
COLUMNS = (
    gettext_lazy("Until days before the show"),
    gettext_lazy("Percent kept"),
    gettext_lazy("Fixed amount per ticket"),
)
MOST = 10**9


class TiersWidget(forms.MultiWidget):
    """A table with a line for each fee."""

    def __init__(self) -> None:
        super().__init__(
            [forms.NumberInput({"min": 0, "class": "vIntegerField"}) for _line in range(3 * LINES)]
        )

    def decompress(self, value: Any) -> list[Any]:
        lines = [[*tier, None][:3] for tier in value or ()]
        flat = [number for line in lines for number in line]
        return flat + [None] * (3 * LINES - len(flat))

    def render(self, name: str, value: Any, attrs: Any = None, renderer: Any = None) -> SafeString:
        inputs = []
        for at, widget in enumerate(self.get_context(name, value, attrs)["widget"]["subwidgets"]):
            label = _("%(what)s, line %(line)s") % {"what": COLUMNS[at % 3], "line": at // 3 + 1}
            widget["attrs"]["aria-label"] = label
            one = self.widgets[at].render(
                widget["name"], widget["value"], widget["attrs"], renderer
            )
            inputs.append(one)
        rows = [inputs[at : at + 3] for at in range(0, len(inputs), 3)]
        body = format_html_join(
            "", "<tr><td>{}</td><td>{}</td><td>{}</td></tr>", (tuple(row) for row in rows)
        )
        head = format_html_join("", '<th scope="col">{}</th>', ((each,) for each in COLUMNS))
        return format_html("<table><thead><tr>{}</tr></thead><tbody>{}</tbody></table>", head, body)


class TiersField(forms.MultiValueField):
    widget = TiersWidget

    def __init__(self, **options: Any) -> None:
        number: Any = {"min_value": 0, "max_value": MOST, "required": False}
        fields = [forms.IntegerField(**number) for _line in range(3 * LINES)]
        super().__init__(fields, require_all_fields=False, required=False, **options)

    def compress(self, numbers: list[Any]) -> list[list[int]]:
        """Lines that are left empty are left out."""
        padded = [*numbers, *[None] * (3 * LINES - len(numbers))]
        lines = [padded[at : at + 3] for at in range(0, len(padded), 3)]
        filled = [line for line in lines if any(number is not None for number in line)]
        if any(line[0] is None or line[1] is None for line in filled):
            raise ValidationError(_("Each line needs days and percent; an amount is optional."))
        return [[number for number in line if number is not None] for line in filled]


class RefundPolicyForm(forms.ModelForm):
    tiers = TiersField(
        label=gettext_lazy("Fees"),
        help_text=gettext_lazy(
            "From far to near. With a fixed amount, this is kept of each ticket, but at most the "
            "percentage. After the last line nothing can be cancelled."
        ),
    )
    on_the_day = forms.IntegerField(
        label=gettext_lazy("Percent kept on the day of the show"),
        required=False,
        min_value=0,
        max_value=100,
        help_text=gettext_lazy(
            "Until the show begins. Empty: no cancellation on the day. 90: a tenth is refunded."
        ),
    )

    class Meta:
        model = RefundPolicy
        fields = ("event", "free_days", "free_hours", "near_days", "tiers")

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        tiers = self.instance.tiers
        flat = TiersWidget().decompress([tier for tier in tiers if tier[0]])
        self.initial["tiers"] = flat  # a list is taken for the values of the inputs
        self.initial["on_the_day"] = next((tier[1] for tier in tiers if not tier[0]), None)

    def clean(self) -> dict[str, Any]:
        cleaned: dict[str, Any] = super().clean() or {}
        tiers, last = cleaned.get("tiers"), cleaned.get("on_the_day")
        if tiers is not None:
            cleaned["tiers"] = tiers if last is None else [*tiers, [0, last]]
            try:
                check_tiers(cleaned["tiers"])
            except ValidationError as problem:
                self.add_error("tiers", problem)
        return cleaned


@admin.register(RefundPolicy)
class RefundPolicyAdmin(PagesAdmin):
    """What is changed here counts for orders from now on; each order keeps its terms."""

    form = RefundPolicyForm
    list_display = ("event", "free_days", "free_hours", "tiers")
    list_select_related = ("event",)
    fieldsets = (
        (
            None,
            {
                "description": gettext_lazy(
                    "Changes count for orders from now on. Orders that were begun before keep the "
                    "terms that were shown to them."
                ),
                "fields": ("event", "free_days", "free_hours", "near_days", "tiers", "on_the_day"),
            },
        ),
    )

"""Price grades of an event."""

from django.core.validators import RegexValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.translated import Translated
from ticketing.events.models.events import Event


class Grade(models.Model):
    """A price level of an event: R, S, A …"""

    event = models.ForeignKey(Event, models.CASCADE, related_name="grades", verbose_name=_("event"))
    code = models.CharField(_("code"), max_length=8)
    name_ko = models.CharField(_("name in Korean"), max_length=40)
    name_en = models.CharField(_("name in English"), max_length=40)
    price = models.PositiveIntegerField(
        _("price"), help_text=_("In the currency's smallest unit; for won, whole won.")
    )
    colour = models.CharField(
        _("colour"),
        max_length=7,
        default="#3355dd",
        validators=[RegexValidator(r"^#[0-9a-fA-F]{6}$", _("A colour such as #3355dd."))],
    )
    order = models.PositiveSmallIntegerField(_("order"), default=0)

    name = Translated()

    class Meta:
        verbose_name = _("price grade")
        verbose_name_plural = _("price grades")
        ordering = ["order", "id"]
        constraints = [
            models.UniqueConstraint(fields=["event", "code"], name="one_grade_of_a_code_per_event")
        ]

    def __str__(self) -> str:
        return self.name

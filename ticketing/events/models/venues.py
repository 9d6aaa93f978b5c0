"""Venues and their seat plans. An event copies the places of its plan into its own seats."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.translated import Translated


class Venue(models.Model):
    name_ko = models.CharField(_("name in Korean"), max_length=120)
    name_en = models.CharField(_("name in English"), max_length=120)
    address_ko = models.CharField(_("address in Korean"), max_length=200, blank=True)
    address_en = models.CharField(_("address in English"), max_length=200, blank=True)
    map_url = models.URLField(
        _("map"),
        blank=True,
        default="",
        db_default="",
        help_text=_("A link to the venue on a map."),
    )
    time_zone = models.CharField(_("time zone"), max_length=40, default="Asia/Seoul")

    name = Translated()
    address = Translated()

    class Meta:
        verbose_name = _("venue")
        verbose_name_plural = _("venues")
        ordering = ["name_ko", "id"]

    def __str__(self) -> str:
        return self.name


class SeatPlan(models.Model):
    """One seating of a venue. Coordinates are the plan's own units; y grows away from the stage."""

    venue = models.ForeignKey(Venue, models.CASCADE, related_name="plans", verbose_name=_("venue"))
    name = models.CharField(_("name"), max_length=80)
    created_at = models.DateTimeField(_("created"), auto_now_add=True)
    # Counts the edits of a plan that no event uses yet.
    revision = models.PositiveIntegerField(default=0, db_default=0, editable=False)

    class Meta:
        verbose_name = _("seat plan")
        verbose_name_plural = _("seat plans")
        ordering = ["venue__name_ko", "name"]
        constraints = [
            models.UniqueConstraint(fields=["venue", "name"], name="one_plan_of_a_name_per_venue")
        ]

    def __str__(self) -> str:
        return f"{self.venue} · {self.name}"


class Section(models.Model):
    class Kind(models.TextChoices):
        SEATED = "seated", _("seated")
        STANDING = "standing", _("standing")

    plan = models.ForeignKey(
        SeatPlan, models.CASCADE, related_name="sections", verbose_name=_("seat plan")
    )
    code = models.CharField(_("code"), max_length=16)
    name_ko = models.CharField(_("name in Korean"), max_length=60)
    name_en = models.CharField(_("name in English"), max_length=60)
    kind = models.CharField(_("kind"), max_length=8, choices=Kind, default=Kind.SEATED)
    order = models.PositiveSmallIntegerField(_("order"), default=0)
    # Its box in the drawing of the plan.
    x = models.IntegerField(_("left"), default=0)
    y = models.IntegerField(_("top"), default=0)
    width = models.PositiveIntegerField(_("width"), default=0)
    height = models.PositiveIntegerField(_("height"), default=0)
    view = models.ImageField(_("view of the stage"), upload_to="views/", blank=True, db_default="")

    name = Translated()

    class Meta:
        verbose_name = _("section")
        verbose_name_plural = _("sections")
        ordering = ["order", "id"]
        constraints = [
            models.UniqueConstraint(fields=["plan", "code"], name="one_section_of_a_code_per_plan")
        ]

    def __str__(self) -> str:
        return self.name


class Place(models.Model):
    """A seat of the plan, or the place of one person in a standing section."""

    section = models.ForeignKey(
        Section, models.CASCADE, related_name="places", verbose_name=_("section")
    )
    grade = models.CharField(_("grade"), max_length=8)
    row = models.CharField(_("row"), max_length=8, blank=True)
    number = models.PositiveIntegerField(_("number"))
    # Position in the plan's units; standing places have none.
    x = models.IntegerField(_("x"), default=0)
    y = models.IntegerField(_("y"), default=0)
    accessible = models.BooleanField(_("wheelchair space"), default=False)
    companion = models.BooleanField(_("companion's seat"), default=False)

    class Meta:
        verbose_name = _("place")
        verbose_name_plural = _("places")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(
                fields=["section", "row", "number"], name="one_place_of_a_number_per_row"
            )
        ]

    def __str__(self) -> str:
        return "-".join(filter(None, [self.section.code, self.row, str(self.number)]))

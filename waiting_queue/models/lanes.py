"""Lanes: parts of an event's line, each with its key, opening time, share and seats."""

from django.conf import settings
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.translated import Translated
from ticketing.events.models import Grade, Section
from waiting_queue.models.queues import SaleQueue, knob

# A lane's number is part of every number in it (`keys.LANE_NUMBERS`).
MAX_LANES = 99
LANES_OR_MINUTES = _("A line has lanes, or it draws by lot every minute: not both.")


class Lane(models.Model):
    """One lane of a line. A line without rows has one lane, for everybody and for all seats."""

    class Key(models.TextChoices):
        NONE = "none", _("none: everybody")
        CODES = "codes", _("codes, one use each")
        EMAILS = "emails", _("list of e-mail addresses")
        MEMBERS = "members", _("fan-club membership")
        ACCESSIBILITY = "accessibility", _("accessibility, by e-mail address")
        INVITATION = "invitation", _("staff invitation, by code")

    # The keys that a fan enters; the others are known from their e-mail address.
    ENTERED = frozenset({Key.CODES, Key.MEMBERS, Key.INVITATION})
    GENERATED = frozenset({Key.CODES, Key.INVITATION})

    queue = models.ForeignKey(
        SaleQueue, models.CASCADE, related_name="lanes", verbose_name=_("queue")
    )
    number = models.PositiveSmallIntegerField(_("number"), editable=False)
    name_ko = models.CharField(_("name in Korean"), max_length=60)
    name_en = models.CharField(_("name in English"), max_length=60)
    key = models.CharField(_("key"), max_length=13, choices=Key, default=Key.CODES)
    weight = models.PositiveSmallIntegerField(
        **knob(
            _("weight"),
            1,
            _("A lane with weight 3 gets three admissions for each one of a lane with weight 1."),
            low=1,
            high=1_000,
        )
    )
    opens_at = models.DateTimeField(
        _("opens"),
        null=True,
        blank=True,
        help_text=_("Empty: with the queue. Later: a presale comes first."),
    )
    grades = models.ManyToManyField(
        Grade,
        blank=True,
        related_name="+",
        verbose_name=_("price grades"),
        help_text=_("What people of this lane may buy. None chosen: all."),
    )
    sections = models.ManyToManyField(
        Section,
        blank=True,
        related_name="+",
        verbose_name=_("blocks"),
        help_text=_("Where people of this lane may buy. None chosen: everywhere."),
    )

    name = Translated()

    class Meta:
        verbose_name = _("lane")
        verbose_name_plural = _("lanes")
        ordering = ["queue_id", "number"]
        constraints = [
            models.UniqueConstraint(fields=["queue", "number"], name="one_lane_of_a_number"),
            models.CheckConstraint(
                condition=models.Q(number=0, key="none")
                | models.Q(number__gt=0, number__lte=MAX_LANES) & ~models.Q(key="none"),
                name="only_lane_0_is_for_everybody",
            ),
        ]

    def __str__(self) -> str:
        return self.name


class LaneKey(models.Model):
    """One right to join a lane. Codes and addresses are kept as keyed hashes only."""

    lane = models.ForeignKey(Lane, models.CASCADE, related_name="keys", verbose_name=_("lane"))
    digest = models.CharField(max_length=64)
    hint = models.CharField(_("ends with"), max_length=4, blank=True)
    person = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        blank=True,
        related_name="+",
        verbose_name=_("used by"),
    )
    used_at = models.DateTimeField(_("used"), null=True, blank=True)

    class Meta:
        verbose_name = _("key of a lane")
        verbose_name_plural = _("keys of lanes")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["lane", "digest"], name="a_key_is_in_its_lane_once"),
            models.UniqueConstraint(
                fields=["lane", "person"],
                condition=models.Q(person__isnull=False),
                name="one_key_of_a_lane_per_person",
            ),
        ]

    def __str__(self) -> str:
        return f"…{self.hint}" if self.hint else f"#{self.pk}"

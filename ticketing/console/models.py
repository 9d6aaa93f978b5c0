"""Samples of sales, autopilots, nightly reconciliations, and the permissions granted to roles."""

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.events.models import Event
from waiting_queue.models import SaleQueue

# A comparison that has shown no progress for so long was lost with its worker.
RECONCILIATION_SILENCE = timedelta(minutes=2)
# The autopilot decides this often; the same interval stands in the beat schedule.
AUTOPILOT_SECONDS = 5
# The numbers of a chart row, in this order; `Sample.figures` is such a row.
CHART_FIELDS = (
    *("second", "lobby", "waiting", "ready", "inside", "admissions", "joins"),
    *("free", "held", "paying", "sold", "money", "failing"),
)


def chart_row(figures: Mapping[str, Any]) -> list[Any]:
    return [figures.get(name, 0) for name in CHART_FIELDS]


class Sample(models.Model):
    """The figures of a sale, every ten seconds, so that charts survive the loss of Redis."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="+", verbose_name=_("event"))
    second = models.BigIntegerField(_("when"))
    figures: Any = models.JSONField(_("figures"))

    class Meta:
        verbose_name = _("sample of a sale")
        verbose_name_plural = _("samples of sales")
        ordering = ["event_id", "second"]
        default_permissions = ()
        permissions = [
            ("watch", _("Can watch the console")),
            ("move_queue", _("Can open, pause, resume and drain a queue")),
            ("close_queue", _("Can close a queue for good")),
            ("set_knobs", _("Can turn a queue's knobs")),
            ("tell_everyone", _("Can write to everyone in line")),
            ("find_people", _("Can look people up")),
            ("move_people", _("Can move people out of a line")),
            ("block_people", _("Can block people and answer their appeals")),
            ("release_seats", _("Can put held-back seats on sale")),
            ("freeze_seats", _("Can freeze and unfreeze single seats")),
        ]
        constraints = [
            models.UniqueConstraint(fields=["event", "second"], name="one_sample_at_a_time")
        ]

    def __str__(self) -> str:
        return f"{self.event_id} {self.second}"


class RoleGrant(models.Model):
    """A permission granted to a role; it is not granted again after somebody took it away."""

    role = models.CharField(max_length=20)
    permission = models.CharField(max_length=100)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["role", "permission"], name="granted_once")]

    def __str__(self) -> str:
        return f"{self.role}: {self.permission}"


class Reconciliation(models.Model):
    """The result of the nightly comparison of payments, gateway and seats for one day."""

    day = models.DateField(_("day"), primary_key=True)
    at = models.DateTimeField(_("when"))
    differences: Any = models.JSONField(_("differences"))
    # Of one that an operator asked for; `seen_at` is its last progress, empty when it is over.
    asked_at = models.DateTimeField(null=True)
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL, models.SET_NULL, null=True, related_name="+"
    )
    seen_at = models.DateTimeField(null=True)
    compared = models.PositiveIntegerField(default=0, db_default=0)
    total = models.PositiveIntegerField(default=0, db_default=0)

    class Meta:
        verbose_name = _("reconciliation")
        verbose_name_plural = _("reconciliations")
        ordering = ["-day"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.day}"

    def is_running(self, now: datetime) -> bool:
        return self.seen_at is not None and now < self.seen_at + RECONCILIATION_SILENCE


def between(low: float, high: float) -> list[Any]:
    return [MinValueValidator(low), MaxValueValidator(high)]


class Autopilot(models.Model):
    """Whether a sale's rate is set automatically, its bounds, and the last decision."""

    queue = models.OneToOneField(
        SaleQueue,
        models.CASCADE,
        related_name="autopilot",
        verbose_name=_("queue"),
        primary_key=True,
    )
    is_on = models.BooleanField(default=False)
    lowest = models.FloatField(
        _("lowest rate, people a second"), default=1, validators=between(0.01, 100_000)
    )
    highest = models.FloatField(
        _("highest rate, people a second"), default=50, validators=between(0.01, 100_000)
    )
    page_ms = models.PositiveIntegerField(
        _("95 % of pages within, in ms"), default=800, validators=between(10, 60_000)
    )
    database_ms = models.PositiveIntegerField(
        _("database answers within, in ms"), default=100, validators=between(1, 60_000)
    )
    # The latest rate change that it knows of; a later one was made by hand.
    since_change = models.BigIntegerField(default=0)
    looked_at = models.DateTimeField(null=True)
    why = models.CharField(max_length=20, blank=True, default="")
    a = models.IntegerField(default=0)
    b = models.IntegerField(default=0)

    class Meta:
        verbose_name = _("autopilot")
        verbose_name_plural = _("autopilots")
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=models.Q(lowest__gt=0) & models.Q(lowest__lte=models.F("highest")),
                name="an_autopilot_has_bounds",
                violation_error_message=_("The lower bound can't be above the upper one."),
            )
        ]

    def __str__(self) -> str:
        return self.summary

    @property
    def summary(self) -> str:
        """Bounds and targets, for the audit log."""
        bounds = f"{self.lowest:g}–{self.highest:g}/s"
        return f"{bounds}, {self.page_ms} ms, {self.database_ms} ms"

    def is_due(self, now: datetime) -> bool:
        """Whether the interval has passed; a little early counts, as the scheduler is not exact."""
        interval = timedelta(seconds=AUTOPILOT_SECONDS * 0.8)
        return self.looked_at is None or not timedelta(0) <= now - self.looked_at < interval

"""What the console keeps: the course of a sale, nightly comparisons, and which role got what."""

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.models import Event


class Sample(models.Model):
    """A sale in numbers, once in ten seconds: charts survive the loss of Redis."""

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
    """A permission that a role was given once; it is not given again if somebody took it away."""

    role = models.CharField(max_length=20)
    permission = models.CharField(max_length=100)

    class Meta:
        default_permissions = ()
        constraints = [models.UniqueConstraint(fields=["role", "permission"], name="granted_once")]

    def __str__(self) -> str:
        return f"{self.role}: {self.permission}"


class Reconciliation(models.Model):
    """What the nightly comparison of payments, gateway and seats found for a day."""

    day = models.DateField(_("day"), primary_key=True)
    at = models.DateTimeField(_("when"))
    differences: Any = models.JSONField(_("differences"))

    class Meta:
        verbose_name = _("reconciliation")
        verbose_name_plural = _("reconciliations")
        ordering = ["-day"]
        default_permissions = ("view",)

    def __str__(self) -> str:
        return f"{self.day}"

"""Signals: what a place in line was joined with."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.events.models import Event


class PlaceSignals(models.Model):
    """Facts, never an accusation; written in batches after the join."""

    event = models.ForeignKey(Event, models.CASCADE, related_name="+", verbose_name=_("event"))
    person = models.BigIntegerField(_("person"))
    at = models.DateTimeField(_("when"))
    address_range = models.CharField(_("address range"), max_length=49, blank=True)
    # account_age, device, range_joins, device_joins, challenge, difficulty, solve_ms, holds_run_out
    # refused: of somebody who tried to join without the identity that is asked for
    signals = models.JSONField(_("signals"), default=dict)
    entry = models.CharField(max_length=40, editable=False)  # of the stream or its own: kept once

    class Meta:
        verbose_name = _("signals of a place")
        verbose_name_plural = _("signals of places")
        ordering = ["id"]
        constraints = [
            models.UniqueConstraint(fields=["entry"], name="signals_are_kept_once"),
        ]
        indexes = [
            models.Index(fields=["event", "person", "id"], name="signals_of_a_person"),
            models.Index(fields=["event", "address_range"], name="signals_of_a_range"),
        ]

    def __str__(self) -> str:
        return f"{self.at:%H:%M:%S} {self.person} {self.address_range}"

"""Cancellation terms of events."""

from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.events.models import Event

# (at least so many days before the show, percent kept); after the last, nothing can be cancelled.
TIERS = [[10, 10], [3, 20], [1, 30]]


def usual_tiers() -> list[list[int]]:
    return [list(tier) for tier in TIERS]


def check_tiers(tiers: Any) -> None:
    """Validate pairs of [days, percent] in descending order of days."""
    pairs = isinstance(tiers, list) and all(_is_pair(tier) for tier in tiers)
    if not pairs or [tier[0] for tier in tiers] != sorted({tier[0] for tier in tiers})[::-1]:
        raise ValidationError(
            _("Write pairs of days before the show and percent, from far to near: [[10, 10], …].")
        )


def _is_pair(tier: Any) -> bool:
    numbers = isinstance(tier, list) and len(tier) == 2 and all(type(n) is int for n in tier)
    return numbers and tier[0] >= 0 and 0 <= tier[1] <= 100


class RefundPolicy(models.Model):
    """Cancellation terms of an event; without a row, the defaults apply."""

    event = models.OneToOneField(
        Event, models.CASCADE, related_name="refund_policy", verbose_name=_("event")
    )
    free_days = models.PositiveSmallIntegerField(
        _("free days"),
        default=7,
        help_text=_("Days after the order in which cancelling is free, unless the show is near."),
    )
    tiers: Any = models.JSONField(
        _("fees"),
        default=usual_tiers,
        validators=[check_tiers],
        help_text=_("Pairs of days before the show and the percentage that is kept then."),
    )

    class Meta:
        verbose_name = _("cancellation terms")
        verbose_name_plural = _("cancellation terms")

    def __str__(self) -> str:
        return str(self.event)

"""Cancellation terms of events."""

import hashlib
import json
from typing import Any

from django.core.exceptions import ValidationError
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.events.models import Event

# [at least so many days before the show, percent kept] or [days, percent, amount]: then the amount
# is kept of each ticket, but at most the percentage. After the last, nothing can be cancelled.
TIERS = [[10, 10, 4_000], [7, 10], [3, 20], [1, 30]]


def usual_tiers() -> list[list[int]]:
    return [list(tier) for tier in TIERS]


def check_tiers(tiers: Any) -> None:
    """Validate fees from far to near: fewer days each time, and no smaller percentage."""
    if not isinstance(tiers, list) or not all(_is_tier(tier) for tier in tiers):
        raise ValidationError(
            _("Write days before the show and percent, or days, percent and an amount: [[10, 10]].")
        )
    days, percents = [tier[0] for tier in tiers], [tier[1] for tier in tiers]
    if days != sorted(set(days), reverse=True):
        raise ValidationError(_("Write the fees from far to near, each day once."))
    if percents != sorted(percents):
        raise ValidationError(_("A fee can’t become smaller as the show approaches."))


def _is_tier(tier: Any) -> bool:
    if not isinstance(tier, list) or len(tier) not in (2, 3):
        return False
    return all(type(n) is int and n >= 0 for n in tier) and tier[1] <= 100


class RefundPolicy(models.Model):
    """Cancellation terms of an event; without a row, the defaults apply.

    Each payment keeps a copy of those it was begun under (`Payment.terms`).
    """

    event = models.OneToOneField(
        Event, models.CASCADE, related_name="refund_policy", verbose_name=_("event")
    )
    free_days = models.PositiveSmallIntegerField(
        _("free days"),
        default=7,
        help_text=_("Days after the order in which cancelling is free, unless the show is near."),
    )
    free_hours = models.PositiveSmallIntegerField(
        _("free hours"),
        default=24,
        db_default=24,
        help_text=_("Hours after the order in which cancelling is free also nearer to the show."),
    )
    near_days = models.PositiveSmallIntegerField(
        _("free hours end"),
        default=3,
        db_default=3,
        help_text=_("The free hours count only while the show is more than so many days away."),
    )
    tiers: Any = models.JSONField(
        _("fees"),
        default=usual_tiers,
        validators=[check_tiers],
        help_text=_("What is kept of each ticket, by days before the show."),
    )

    class Meta:
        verbose_name = _("cancellation terms")
        verbose_name_plural = _("cancellation terms")

    def __str__(self) -> str:
        return str(self.event)

    @property
    def terms(self) -> dict[str, Any]:
        """What a payment keeps of it."""
        return {name: getattr(self, name) for name in TERMS}

    @property
    def digest(self) -> str:
        """Differs if the terms do: a fan agrees to those that were on the page."""
        text = json.dumps(self.terms, sort_keys=True)
        return hashlib.sha256(text.encode()).hexdigest()[:16]


TERMS = ("free_days", "free_hours", "near_days", "tiers")

"""The two-person rule: what a role may do only after another person has approved it."""

from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.auth.models import Group
from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle
from ticketing.events.models.events import Event


class TwoPersonRule(models.Model):
    """What people of a role only ask for. The names of the fields are the actions."""

    role = models.OneToOneField(
        Group, models.CASCADE, related_name="+", verbose_name=_("role"), primary_key=True
    )
    refund_event = models.BooleanField(_("cancel an event or refund all its orders"), default=False)
    close_sale = models.BooleanField(_("close a sale"), default=False)
    freeze_seats = models.BooleanField(_("freeze blocks of seats"), default=False)

    class Meta:
        verbose_name = _("two-person rule")
        verbose_name_plural = _("two-person rules")

    def __str__(self) -> str:
        return str(self.role)


class Approval(Lifecycle):
    """A request that another person approves, which carries it out, or refuses."""

    class Action(models.TextChoices):
        REFUND_EVENT = "refund_event", _("cancel an event or refund all its orders")
        CLOSE_SALE = "close_sale", _("close a sale")
        FREEZE_SEATS = "freeze_seats", _("freeze blocks of seats")

    class State(models.TextChoices):
        ASKED = "asked", _("waits for a second person")
        APPROVED = "approved", _("approved")
        REFUSED = "refused", _("refused")
        WITHDRAWN = "withdrawn", _("withdrawn")
        EXPIRED = "expired", _("expired")

    MOVES = {
        State.ASKED: {State.APPROVED, State.REFUSED, State.WITHDRAWN, State.EXPIRED},
        State.APPROVED: set(),
        State.REFUSED: set(),
        State.WITHDRAWN: set(),
        State.EXPIRED: set(),
    }

    event = models.ForeignKey(Event, models.CASCADE, related_name="+", verbose_name=_("event"))
    action = models.CharField(_("what"), max_length=12, choices=Action)
    # The arguments of the service that carries it out, and their hash.
    wish: Any = models.JSONField(default=dict)
    digest = models.CharField(max_length=64)
    why = models.CharField(_("why"), max_length=200, blank=True)
    state = models.CharField(_("status"), max_length=9, choices=State, default=State.ASKED)
    asked_at = models.DateTimeField(_("asked"))
    expires_at = models.DateTimeField(_("expires"))
    asked_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("asked by"),
        help_text=_("Empty: from the command line."),
    )
    answered_at = models.DateTimeField(_("answered"), null=True)
    answered_by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("answered by"),
    )
    # Refunds go on after the approval, until none is left.
    finished_at = models.DateTimeField(null=True)

    class Meta:
        verbose_name = _("approval")
        verbose_name_plural = _("approvals")
        ordering = ["-id"]
        default_permissions = ()
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    state__in=["asked", "approved", "refused", "withdrawn", "expired"]
                ),
                name="an_approval_is_in_a_known_state",
            ),
            models.UniqueConstraint(
                fields=["event", "action", "digest"],
                condition=models.Q(state="asked"),
                name="one_open_request_for_the_same",
            ),
            models.CheckConstraint(
                condition=models.Q(answered_by=None)
                | ~models.Q(state="approved")
                | ~models.Q(answered_by=models.F("asked_by")),
                name="nobody_approves_their_own_request",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.get_action_display()}: {self.event}"

    def is_open(self, now: datetime) -> bool:
        return self.state == self.State.ASKED and now < self.expires_at

"""Outgoing messages, and the webhooks that we received."""

from typing import Any

from django.db import models
from django.utils.translation import gettext_lazy as _

from ticketing.core.states import Lifecycle


class OutboxMessage(Lifecycle):
    """Written in the transaction of what it reports; delivered later, at least once, in order."""

    class State(models.TextChoices):
        WAITING = "waiting", _("waiting")
        DELIVERED = "delivered", _("delivered")
        DEAD = "dead", _("undeliverable")

    MOVES = {
        State.WAITING: {State.DELIVERED, State.DEAD},
        State.DEAD: {State.WAITING},
        State.DELIVERED: set(),
    }

    aggregate = models.CharField(_("about"), max_length=60)
    sequence = models.PositiveIntegerField(_("sequence"))
    kind = models.CharField(_("kind"), max_length=40)
    body: Any = models.JSONField(_("content"))
    state = models.CharField(_("status"), max_length=9, choices=State, default=State.WAITING)
    attempts = models.PositiveSmallIntegerField(_("attempts"), default=0)
    created_at = models.DateTimeField(_("created"))
    due_at = models.DateTimeField(_("next attempt"))
    delivered_at = models.DateTimeField(_("delivered"), null=True, blank=True)
    error = models.CharField(_("last error"), max_length=300, blank=True, default="")

    class Meta:
        verbose_name = _("outgoing message")
        verbose_name_plural = _("outgoing messages")
        ordering = ["-id"]
        constraints = [
            models.UniqueConstraint(
                fields=["aggregate", "sequence"], name="messages_have_one_order"
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(state="waiting"), name="messages_to_deliver"
            ),
        ]

    def __str__(self) -> str:
        return f"{self.aggregate} {self.sequence}: {self.kind}"


class WebhookReceipt(models.Model):
    """A verified webhook. Its id is stored so that a repeat is recognised."""

    webhook_id = models.CharField(_("id"), max_length=200, unique=True)
    kind = models.CharField(_("kind"), max_length=60)
    number = models.CharField(_("payment"), max_length=64, blank=True)
    received_at = models.DateTimeField(_("received"))
    sent_at = models.DateTimeField(_("sent"))
    repeats = models.PositiveIntegerField(_("repeats"), default=0)
    body: Any = models.JSONField(_("content"))

    class Meta:
        verbose_name = _("webhook")
        verbose_name_plural = _("webhooks")
        ordering = ["-id"]
        indexes = [models.Index(fields=["number"], name="webhooks_of_a_payment")]

    def __str__(self) -> str:
        return f"{self.kind} {self.webhook_id}"

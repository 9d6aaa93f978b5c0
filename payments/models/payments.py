"""Payments, their timelines and refunds."""

import uuid
from datetime import datetime
from typing import Any

from django.conf import settings
from django.contrib.postgres.fields import ArrayField
from django.db import models
from django.utils.translation import gettext_lazy as _

from reservations.models import Reservation
from ticketing.core.audit import ChangeRecord
from ticketing.core.states import Lifecycle


def new_number() -> str:
    """A new payment number, which is also the gateway's id of the payment."""
    return f"pay-{uuid.uuid4().hex}"


class Payment(Lifecycle):
    class State(models.TextChoices):
        PENDING = "pending", _("begun")
        PREPARED = "prepared", _("ready to pay")
        CHARGING = "charging", _("being charged")
        SUCCEEDED = "succeeded", _("paid")
        FAILED = "failed", _("failed")
        CANCELLED = "cancelled", _("cancelled unpaid")
        REFUNDING = "refunding", _("being refunded")
        REFUNDED = "refunded", _("refunded")
        PARTIALLY_REFUNDED = "partially_refunded", _("partly refunded")

    # A failed or cancelled payment may turn out to have been charged: then it is refunded.
    MOVES = {
        State.PENDING: {
            *(State.PREPARED, State.SUCCEEDED, State.FAILED, State.CANCELLED, State.REFUNDING),
        },
        State.PREPARED: {
            *(State.CHARGING, State.SUCCEEDED, State.FAILED, State.CANCELLED, State.REFUNDING),
        },
        State.CHARGING: {State.SUCCEEDED, State.FAILED, State.REFUNDING},
        State.SUCCEEDED: {State.REFUNDING},
        State.FAILED: {State.REFUNDING},
        State.CANCELLED: {State.REFUNDING},
        State.REFUNDING: {State.REFUNDED, State.PARTIALLY_REFUNDED, State.SUCCEEDED},
        State.PARTIALLY_REFUNDED: {State.REFUNDING},
        State.REFUNDED: set(),
    }
    # In these states the reservation is being paid and can't expire.
    OPEN = (State.PENDING, State.PREPARED, State.CHARGING)

    number = models.CharField(_("number"), max_length=40, unique=True, default=new_number)
    # Idempotency key of the client: a repeated request finds this row.
    payment_key = models.UUIDField(_("key of the client"), unique=True)
    reservation = models.ForeignKey(
        Reservation, models.PROTECT, related_name="payments", verbose_name=_("reservation")
    )
    fan = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.PROTECT,
        related_name="payments",
        verbose_name=_("person"),
    )
    amount = models.PositiveBigIntegerField(_("amount"))
    currency = models.CharField(_("currency"), max_length=3)
    state = models.CharField(_("status"), max_length=18, choices=State, default=State.PENDING)
    # What the gateway charged and refunded, by its own account.
    charged = models.PositiveBigIntegerField(_("charged"), default=0)
    refunded = models.PositiveBigIntegerField(_("refunded"), default=0)
    # Of what is left: kept for seats that were cancelled. Not refunded with the rest of the order.
    fees = models.PositiveBigIntegerField(_("fees kept"), default=0, db_default=0)
    gateway = models.CharField(_("gateway"), max_length=20, default="portone")
    payment_token = models.CharField(max_length=300, blank=True, default="", editable=False)
    transaction_id = models.CharField(_("transaction"), max_length=100, blank=True, default="")
    failure_code = models.CharField(_("reason"), max_length=100, blank=True, default="")
    failure_message = models.CharField(_("words"), max_length=300, blank=True, default="")
    # The cancellation terms that the fan agreed to; empty for very old payments.
    terms: Any = models.JSONField(null=True, editable=False)
    language = models.CharField(_("language"), max_length=10, blank=True, default="")
    attempts = models.PositiveIntegerField(_("attempts"), default=0)
    created_at = models.DateTimeField(_("created"))
    charging_at = models.DateTimeField(_("charged from"), null=True, blank=True)
    settled_at = models.DateTimeField(_("settled"), null=True, blank=True)
    # When it is settled next; empty if nothing is left to do.
    due_at = models.DateTimeField(_("next check"), null=True, blank=True)

    class Meta:
        verbose_name = _("payment")
        verbose_name_plural = _("payments")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(
                    state__in=[
                        *("pending", "prepared", "charging", "succeeded", "failed"),
                        *("cancelled", "refunding", "refunded", "partially_refunded"),
                    ]
                ),
                name="a_payment_is_in_a_known_state",
            ),
            models.CheckConstraint(
                condition=models.Q(refunded__lte=models.F("charged")),
                name="no_more_is_refunded_than_was_charged",
            ),
            models.CheckConstraint(
                condition=models.Q(fees__lte=models.F("charged") - models.F("refunded")),
                name="fees_are_kept_of_what_is_left",
            ),
            models.CheckConstraint(
                condition=models.Q(due_at__isnull=False)
                | ~models.Q(state__in=["pending", "prepared", "charging", "refunding"]),
                name="what_is_under_way_is_looked_at",
            ),
            models.UniqueConstraint(
                fields=["reservation"],
                condition=models.Q(state__in=["pending", "prepared", "charging"]),
                name="one_open_payment_per_reservation",
            ),
            models.UniqueConstraint(
                fields=["reservation"],
                condition=models.Q(state="succeeded"),
                name="a_reservation_is_paid_once",
            ),
        ]
        indexes = [
            models.Index(
                fields=["due_at"], condition=models.Q(due_at__isnull=False), name="payments_due"
            ),
            models.Index(fields=["created_at"], name="payments_by_day"),
        ]
        permissions = [("refund_payment", _("Can refund payments"))]

    def __str__(self) -> str:
        return self.number

    @property
    def is_open(self) -> bool:
        return self.state in self.OPEN

    @property
    def paid_at(self) -> datetime:
        """When the fan agreed to pay; a later refund does not change it."""
        return self.charging_at or self.created_at

    @property
    def left(self) -> int:
        """What can still be refunded."""
        return self.charged - self.refunded

    @property
    def paid_for_seats(self) -> int:
        """What was paid for the seats that the order still has."""
        return self.left - self.fees


class PaymentStep(ChangeRecord):
    """One row of a payment's timeline, written by the statement that moves it and never edited."""

    payment = models.ForeignKey(
        Payment, models.CASCADE, related_name="steps", verbose_name=_("payment")
    )
    before = models.CharField(_("before"), max_length=18, blank=True)
    after = models.CharField(_("after"), max_length=18)
    note = models.CharField(_("note"), max_length=300, blank=True)
    why = None  # type: ignore[assignment]

    class Meta(ChangeRecord.Meta):
        verbose_name = _("step of a payment")
        verbose_name_plural = _("steps of payments")
        ordering = ["id"]
        indexes = [models.Index(fields=["-at", "-id"], name="payment_steps_by_time")]

    def __str__(self) -> str:
        return f"{self.before} → {self.after}"


class Refund(Lifecycle):
    """A refund, requested with its own idempotency key until the gateway has answered."""

    class State(models.TextChoices):
        REQUESTED = "requested", _("on its way")
        DONE = "done", _("refunded")
        REFUSED = "refused", _("refused")

    MOVES = {
        State.REQUESTED: {State.DONE, State.REFUSED},
        State.DONE: set(),
        State.REFUSED: set(),
    }

    payment = models.ForeignKey(
        Payment, models.PROTECT, related_name="refunds", verbose_name=_("payment")
    )
    key = models.UUIDField(unique=True, default=uuid.uuid4, editable=False)
    amount = models.PositiveBigIntegerField(_("amount"))
    fee = models.PositiveBigIntegerField(_("fee kept"), default=0)
    # The sum refunded before this one, so that the gateway's total tells whether it was done.
    before = models.PositiveBigIntegerField(default=0, editable=False)
    state = models.CharField(_("status"), max_length=9, choices=State, default=State.REQUESTED)
    frees_seats = models.BooleanField(_("the seats go back too"), default=False)
    # Only these go back; empty: all that the order has.
    seats = ArrayField(
        models.BigIntegerField(), verbose_name=_("seats"), default=list, db_default=[], blank=True
    )
    # An automatic refund of a charge that bought no seats: retried until it is done.
    is_owed = models.BooleanField(_("owed"), default=False)
    why = models.CharField(_("why"), max_length=200)
    by = models.ForeignKey(
        settings.AUTH_USER_MODEL,
        models.SET_NULL,
        null=True,
        related_name="+",
        verbose_name=_("who"),
    )
    created_at = models.DateTimeField(_("created"))
    ended_at = models.DateTimeField(_("ended"), null=True, blank=True)
    answer = models.CharField(_("answer"), max_length=300, blank=True, default="")

    class Meta:
        verbose_name = _("refund")
        verbose_name_plural = _("refunds")
        ordering = ["-id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(amount__gt=0), name="a_refund_is_of_something"
            ),
            models.UniqueConstraint(
                fields=["payment"],
                condition=models.Q(state="requested"),
                name="one_refund_at_a_time",
            ),
        ]

    def __str__(self) -> str:
        return f"{self.payment_id}: {self.amount}"

    @classmethod
    def request(
        cls, payment: Payment, amount: int, *, why: str, now: datetime, **fields: Any
    ) -> "Refund":
        return cls.objects.create(
            payment=payment,
            amount=amount,
            before=payment.refunded,
            why=why[:200],
            created_at=now,
            **fields,
        )

"""The sandbox's payments, its ledger of charges and refunds, and its webhooks."""

import hashlib
import secrets
from base64 import b64encode

from django.db import models
from django.db.models import Q, Sum

from payments.sandbox.behaviours import SECONDS, Behaviour
from ticketing.core.states import Lifecycle


class Payment(Lifecycle):
    """A payment as PortOne has it. Each try after a failure is a new transaction."""

    class State(models.TextChoices):
        REGISTERED = (
            "REGISTERED"  # not a PortOne state: PortOne knows a payment once its window opens
        )
        READY = "READY"
        PAY_PENDING = "PAY_PENDING"
        PAID = "PAID"
        FAILED = "FAILED"
        PARTIAL_CANCELLED = "PARTIAL_CANCELLED"
        CANCELLED = "CANCELLED"

    MOVES = {
        State.REGISTERED: {State.READY},
        State.READY: {State.PAY_PENDING, State.PAID, State.FAILED},
        State.PAY_PENDING: {State.PAID, State.FAILED},
        State.FAILED: {State.READY},
        State.PAID: {State.PARTIAL_CANCELLED, State.CANCELLED},
        State.PARTIAL_CANCELLED: {State.PARTIAL_CANCELLED, State.CANCELLED},
        State.CANCELLED: set(),
    }
    CHARGED = (State.PAID, State.PARTIAL_CANCELLED, State.CANCELLED)

    payment_id = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=17, choices=State, default=State.REGISTERED)
    amount = models.PositiveBigIntegerField(null=True)
    currency = models.CharField(max_length=3, default="KRW")
    order_name = models.CharField(max_length=200, blank=True)
    channel_key = models.CharField(max_length=60, blank=True)
    transaction_id = models.CharField(max_length=40, blank=True)
    token = models.CharField(max_length=60, blank=True)
    behaviour = models.CharField(max_length=15, choices=Behaviour, default=Behaviour.SUCCEED)
    seconds = models.FloatField(default=SECONDS)
    origin = models.URLField(blank=True)
    address = models.GenericIPAddressField(default="127.0.0.1")
    failure_code = models.CharField(max_length=40, blank=True)
    failure_message = models.CharField(max_length=200, blank=True)
    opened_at = models.DateTimeField(null=True)
    changed_at = models.DateTimeField()
    paid_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)

    class Meta:
        db_table = "payments_sandbox_payment"

    def __str__(self) -> str:
        return self.payment_id

    @property
    def charged(self) -> int:
        return self._sum(Movement.Kind.CHARGE)

    @property
    def refunded(self) -> int:
        return self._sum(Movement.Kind.REFUND)

    def _sum(self, kind: str) -> int:
        found = self.movements.filter(kind=kind).aggregate(sum=Sum("amount"))
        return int(found["sum"] or 0)


class Movement(models.Model):
    """A row of the ledger: a charge or refund that a real gateway would have made."""

    class Kind(models.TextChoices):
        CHARGE = "charge"
        REFUND = "refund"

    payment = models.ForeignKey(Payment, models.CASCADE, related_name="movements")
    kind = models.CharField(max_length=6, choices=Kind)
    amount = models.PositiveBigIntegerField()
    at = models.DateTimeField()

    class Meta:
        db_table = "payments_sandbox_movement"
        constraints = [
            models.UniqueConstraint(
                fields=["payment"], condition=Q(kind="charge"), name="sandbox_charged_once"
            )
        ]

    def __str__(self) -> str:
        return f"{self.kind} {self.amount}"


class Cancellation(models.Model):
    """A refund, done at once or later."""

    class State(models.TextChoices):
        REQUESTED = "REQUESTED"
        SUCCEEDED = "SUCCEEDED"

    payment = models.ForeignKey(Payment, models.CASCADE, related_name="cancellations")
    cancellation_id = models.CharField(max_length=40, unique=True)
    state = models.CharField(max_length=9, choices=State)
    amount = models.PositiveBigIntegerField()
    reason = models.CharField(max_length=500)
    requested_at = models.DateTimeField()
    cancelled_at = models.DateTimeField(null=True)
    due_at = models.DateTimeField(null=True)
    is_told = models.BooleanField(default=True)

    class Meta:
        db_table = "payments_sandbox_cancellation"

    def __str__(self) -> str:
        return self.cancellation_id


class Webhook(models.Model):
    """A webhook to the shop, and how often it was sent."""

    payment = models.ForeignKey(Payment, models.CASCADE, related_name="webhooks")
    webhook_id = models.CharField(max_length=40, unique=True)
    kind = models.CharField(max_length=40)
    payment_state = models.CharField(max_length=17)
    url = models.URLField(max_length=500)
    body = models.TextField()
    made_at = models.DateTimeField()
    sent_at = models.DateTimeField(null=True)
    sendings = models.PositiveSmallIntegerField(default=0)
    status = models.PositiveSmallIntegerField(null=True)
    is_lost = models.BooleanField(default=False)

    class Meta:
        db_table = "payments_sandbox_webhook"

    def __str__(self) -> str:
        return f"{self.kind} {self.webhook_id}"


class Verification(models.Model):
    """An identity verification as PortOne has it: READY until the window was confirmed."""

    class State(models.TextChoices):
        READY = "READY"
        VERIFIED = "VERIFIED"

    number = models.CharField(max_length=64, unique=True)
    state = models.CharField(max_length=8, choices=State, default=State.READY)
    name = models.CharField(max_length=40, blank=True)
    birth_date = models.DateField(null=True)
    phone = models.CharField(max_length=20, blank=True)
    opened_at = models.DateTimeField()
    changed_at = models.DateTimeField()

    class Meta:
        db_table = "payments_sandbox_verification"

    def __str__(self) -> str:
        return self.number

    @property
    def unique_value(self) -> str:
        """The CI: whoever types the same name and date of birth is the same person."""
        text = f"{self.name} {self.birth_date}".encode()
        return b64encode(hashlib.sha512(text).digest()).decode()


class Call(models.Model):
    """An API call with an idempotency key, and its answer once there is one."""

    key = models.CharField(max_length=256, unique=True)
    fingerprint = models.CharField(max_length=64)
    at = models.DateTimeField()
    status = models.PositiveSmallIntegerField(null=True)
    body = models.JSONField(null=True)

    class Meta:
        db_table = "payments_sandbox_call"

    def __str__(self) -> str:
        return self.key


class PlannedBehaviour(models.Model):
    """What the next payment does. Each row is used once, the oldest first."""

    behaviour = models.CharField(max_length=15, choices=Behaviour)
    seconds = models.FloatField(default=SECONDS)

    class Meta:
        db_table = "payments_sandbox_plan"

    def __str__(self) -> str:
        return self.behaviour


class Faults(models.Model):
    """Faults of the whole sandbox: one row."""

    failure_rate = models.FloatField(default=0)
    latency = models.FloatField(default=0)

    class Meta:
        db_table = "payments_sandbox_weather"

    def __str__(self) -> str:
        return f"{self.failure_rate:.0%} fail, {self.latency} s"


def new_id(kind: str) -> str:
    return f"{kind}-{secrets.token_hex(12)}"

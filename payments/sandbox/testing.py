"""Controls the sandbox from tests, benchmarks and rehearsals: its behaviour, and its ledger."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum

from payments.sandbox import services, timers
from payments.sandbox.availability import require_enabled
from payments.sandbox.behaviours import SECONDS, Behaviour
from payments.sandbox.models import (
    Call,
    Faults,
    Movement,
    Payment,
    PlannedBehaviour,
    Webhook,
    new_id,
)
from payments.sandbox.services.charges import charge
from ticketing.core import clock

__all__ = [
    *("Behaviour", "Charge", "charges", "net_charged", "pay", "plan_next"),
    *("record_charge", "reset", "set_faults", "wait", "webhooks_of"),
]

LONGEST_WAIT = 30.0


@dataclass(frozen=True)
class Charge:
    """A charge, and how much of it was refunded."""

    payment_id: str
    amount: int
    refunded: int
    currency: str
    at: datetime


def plan_next(behaviour: Behaviour, *, seconds: float = SECONDS) -> None:
    """Set what the next payment whose window opens does. Several plans are used in order."""
    require_enabled()
    PlannedBehaviour.objects.create(behaviour=behaviour, seconds=seconds)


def set_faults(*, failure_rate: float = 0, latency: float = 0) -> None:
    """Make this share of all API calls fail (0 to 1), and each take so many seconds longer."""
    require_enabled()
    Faults.objects.update_or_create(
        pk=1, defaults={"failure_rate": failure_rate, "latency": latency}
    )


def pay(
    payment_id: str,
    behaviour: Behaviour | None = None,
    *,
    seconds: float | None = None,
    order: services.WindowOrder | None = None,
) -> dict[str, str]:
    """Pay in the window without a browser; returns the parameters of the shop's return URL."""
    require_enabled()
    now, order = clock.now(), order or services.WindowOrder()
    opened = services.open_window(payment_id=payment_id, order=order, now=now)
    return services.choose(
        payment_id=payment_id,
        behaviour=behaviour or Behaviour(opened.behaviour),
        seconds=opened.seconds if seconds is None else seconds,
        now=now,
    )


def record_charge(*, payment_id: str, amount: int, currency: str, now: datetime) -> str:
    """A payment that was paid without its window, as the demo needs it; returns the transaction."""
    require_enabled()
    payment = Payment.objects.create(
        payment_id=payment_id,
        state=Payment.State.READY,
        amount=amount,
        currency=currency,
        transaction_id=new_id("tx"),
        opened_at=now,
        changed_at=now,
    )
    return charge(payment, notify=False, now=now).transaction_id


def charges(*, since: datetime | None = None, until: datetime | None = None) -> list[Charge]:
    """Every charge of this time."""
    require_enabled()
    found = Movement.objects.filter(kind=Movement.Kind.CHARGE).select_related("payment")
    if since:
        found = found.filter(at__gte=since)
    if until:
        found = found.filter(at__lt=until)
    return [
        Charge(
            charge.payment.payment_id,
            charge.amount,
            charge.payment.refunded,
            charge.payment.currency,
            charge.at,
        )
        for charge in found.order_by("pk")
    ]


def net_charged(payment_id: str) -> int:
    """What was charged and not refunded."""
    require_enabled()
    movements = Movement.objects.filter(payment__payment_id=payment_id)
    rows = movements.values_list("kind").annotate(sum=Sum("amount")).order_by()
    sums = dict(rows)
    return int(sums.get(Movement.Kind.CHARGE, 0) - sums.get(Movement.Kind.REFUND, 0))


def webhooks_of(payment_id: str) -> list[Webhook]:
    """The webhooks of a payment, once no timer is pending."""
    require_enabled()
    wait()
    return list(Webhook.objects.filter(payment__payment_id=payment_id).order_by("pk"))


def wait(seconds: float = LONGEST_WAIT) -> None:
    """Wait until this process has no pending timer."""
    end = clock.monotonic() + seconds
    while (pending := timers.pending()) and clock.monotonic() < end:
        pending[0].join(end - clock.monotonic())


def reset() -> None:
    """Remove payments, plans, faults and timers."""
    require_enabled()
    timers.cancel_all()
    for model in (Payment, Call, PlannedBehaviour, Faults):
        model.objects.all().delete()

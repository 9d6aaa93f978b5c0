"""The sandbox in the hands of tests, benchmarks and comparisons: what it does, and what is true."""

from dataclasses import dataclass
from datetime import datetime

from django.db.models import Sum

from payments.sandbox import postman, services
from payments.sandbox.behaviours import SECONDS, Behaviour
from payments.sandbox.guard import require_home
from payments.sandbox.models import Call, Movement, Payment, Plan, Weather, Webhook
from ticketing.core import clock

__all__ = ["Behaviour", "Charge", "behave", "charges", "fare", "pay", "reset", "taken", "told"]

LONGEST_WAIT = 30.0


@dataclass(frozen=True)
class Charge:
    """Money that was taken, and how much of it went back."""

    payment_id: str
    amount: int
    refunded: int
    currency: str
    at: datetime


def behave(behaviour: Behaviour, *, seconds: float = SECONDS) -> None:
    """The next payment whose window opens does this. Several plans are used in order."""
    require_home()
    Plan.objects.create(behaviour=behaviour, seconds=seconds)


def fare(*, failure_rate: float = 0, latency: float = 0) -> None:
    """So many of all API calls fail (0 to 1), and each takes so many seconds longer."""
    require_home()
    Weather.objects.update_or_create(
        pk=1, defaults={"failure_rate": failure_rate, "latency": latency}
    )


def pay(
    payment_id: str,
    behaviour: Behaviour | None = None,
    *,
    seconds: float | None = None,
    order: services.Order | None = None,
) -> dict[str, str]:
    """What a fan does in the window, without a browser; returns what the shop's page is told."""
    require_home()
    now = clock.now()
    opened = services.open_window(payment_id=payment_id, order=order or services.Order(), now=now)
    return services.choose(
        payment_id=payment_id,
        behaviour=behaviour or Behaviour(opened.behaviour),
        seconds=opened.seconds if seconds is None else seconds,
        now=now,
    )


def charges(*, since: datetime | None = None, until: datetime | None = None) -> list[Charge]:
    """Everything that was taken in this time, however often."""
    require_home()
    found = Movement.objects.filter(kind=Movement.Kind.CHARGE).select_related("payment")
    if since:
        found = found.filter(at__gte=since)
    if until:
        found = found.filter(at__lt=until)
    return [_charge(one) for one in found.order_by("pk")]


def _charge(charge: Movement) -> Charge:
    payment = charge.payment
    return Charge(payment.payment_id, charge.amount, payment.refunded, payment.currency, charge.at)


def taken(payment_id: str) -> int:
    """What the fan is out of pocket."""
    require_home()
    sums = {
        kind: Movement.objects.filter(payment__payment_id=payment_id, kind=kind).aggregate(
            sum=Sum("amount")
        )["sum"]
        or 0
        for kind in Movement.Kind
    }
    return int(sums[Movement.Kind.CHARGE] - sums[Movement.Kind.REFUND])


def told(payment_id: str) -> list[Webhook]:
    """The webhooks of a payment, once nothing is under way any more."""
    require_home()
    wait()
    return list(Webhook.objects.filter(payment__payment_id=payment_id).order_by("pk"))


def wait(seconds: float = LONGEST_WAIT) -> None:
    """Until everything that this process was to do later is done."""
    end = clock.monotonic() + seconds
    while (errands := postman.under_way()) and clock.monotonic() < end:
        errands[0].join(end - clock.monotonic())


def reset() -> None:
    """Fair weather, no plans, nothing under way, no books."""
    require_home()
    postman.call_off()
    for model in (Payment, Call, Plan, Weather):
        model.objects.all().delete()

"""The sandbox's own books about a rehearsal; where cards are real there is no sandbox to ask."""

from collections.abc import Collection
from typing import Any

from django.db.models import Q, Sum

from payments.selectors import uses_sandbox


def is_here() -> bool:
    return uses_sandbox()


def make_weather(*, failure_rate: float = 0, latency: float = 0) -> None:
    from payments.sandbox import testing

    testing.set_faults(failure_rate=failure_rate, latency=latency)


def charges_of(numbers: Collection[str]) -> list[dict[str, Any]]:
    """What was taken for each of these payments, and what went back."""
    from payments.sandbox.models import Payment

    sums = {
        name: Sum("movements__amount", filter=Q(movements__kind=kind))
        for name, kind in (("taken", "charge"), ("back", "refund"))
    }
    rows: Any = Payment.objects.filter(payment_id__in=numbers).annotate(**sums)
    found = rows.exclude(taken=None).order_by("pk").values_list("payment_id", "taken", "back")
    return [
        {"payment": name, "amount": taken, "refunded": back or 0} for name, taken, back in found
    ]


def forget(numbers: Collection[str], refund_keys: Collection[str]) -> None:
    """Burn the books of these payments."""
    from payments.sandbox.models import Call, Payment

    keys = [f"{verb}-{number}" for number in numbers for verb in ("prepare", "charge")]
    Call.objects.filter(key__in=[*keys, *(f"refund-{key}" for key in refund_keys)]).delete()
    Payment.objects.filter(payment_id__in=numbers).delete()


def remembered(numbers: Collection[str]) -> int:
    from payments.sandbox.models import Payment

    return Payment.objects.filter(payment_id__in=numbers).count()

"""Reads of the sandbox's payments and identity verifications."""

from collections.abc import Collection
from datetime import datetime

from django.db.models import QuerySet

from payments.sandbox.errors import PaymentNotFound, VerificationNotFound
from payments.sandbox.models import Faults, Payment, Verification


def known_payments() -> QuerySet[Payment]:
    """PortOne knows a payment once its window was opened."""
    return Payment.objects.exclude(state=Payment.State.REGISTERED)


def known_payment(payment_id: str) -> Payment:
    payment = known_payments().filter(payment_id=payment_id).first()
    if payment is None:
        raise PaymentNotFound()
    return payment


def known_verification(number: str) -> Verification:
    found = Verification.objects.filter(number=number).first()
    if found is None:
        raise VerificationNotFound()
    return found


def payments_between(
    *, since: datetime, until: datetime, by_change: bool = False, states: Collection[str] = ()
) -> QuerySet[Payment]:
    field = "changed_at" if by_change else "opened_at"
    found = known_payments().filter(**{f"{field}__gte": since, f"{field}__lte": until})
    return (found.filter(state__in=states) if states else found).order_by("pk")


def faults() -> Faults:
    return Faults.objects.first() or Faults()

"""A client's key names one wish to pay: a repeat finds it, another wish may not borrow it."""

from uuid import UUID

from payments.errors import KeyReused
from payments.models import Payment


def earlier_payment(*, payment_key: UUID, code: str, fan_id: int) -> Payment | None:
    """What this key made before. Somebody else's key tells nothing but that it is taken."""
    payments = Payment.objects.select_related("reservation")
    found = payments.filter(payment_key=payment_key).first()
    if found and (found.fan_id != fan_id or found.reservation.code != code):
        raise KeyReused()
    return found

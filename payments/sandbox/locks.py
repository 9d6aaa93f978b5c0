"""Row locks of the sandbox. They are never held together with the shop's."""

from payments.sandbox.errors import PaymentNotFound
from payments.sandbox.models import Payment, Plan


def payment_for_update(payment_id: str) -> Payment:
    payment = Payment.objects.select_for_update().filter(payment_id=payment_id).first()
    if payment is None:
        raise PaymentNotFound()
    return payment


def plan_for_update() -> Plan | None:
    """The oldest one that nobody else is taking."""
    return Plan.objects.select_for_update(skip_locked=True).order_by("pk").first()

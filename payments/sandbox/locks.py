"""Row locks of the sandbox, in transactions of their own."""

from payments.sandbox.errors import PaymentNotFound
from payments.sandbox.models import Payment, PlannedBehaviour


def payment_for_update(payment_id: str) -> Payment:
    payment = Payment.objects.select_for_update().filter(payment_id=payment_id).first()
    if payment is None:
        raise PaymentNotFound()
    return payment


def plan_for_update() -> PlannedBehaviour | None:
    """The oldest plan that no other payment is taking."""
    plans = PlannedBehaviour.objects.select_for_update(skip_locked=True)
    return plans.order_by("pk").first()

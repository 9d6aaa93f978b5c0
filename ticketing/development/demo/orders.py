"""Orders of the demo, paid at the sandbox: they can be looked at, reconciled and cancelled."""

from datetime import datetime
from uuid import uuid4

from django.conf import settings

from payments.models import Payment, PaymentStep, RefundPolicy
from reservations import services as reservations
from reservations.models import Reservation
from ticketing.accounts.models import User
from ticketing.development.log_ins import FANS
from ticketing.events.models import Event


def sell_out(event: Event, now: datetime) -> None:
    """The fans buy as many seats as they may, until none is left."""
    seats = list(event.seats.order_by("pk").values_list("pk", flat=True))
    for fan in User.objects.filter(email__in=FANS).order_by("pk"):
        mine, seats = seats[: event.seats_per_person], seats[event.seats_per_person :]
        choice = reservations.SeatChoice.named(mine)
        hold = reservations.hold_seats(event_id=event.pk, choice=choice, fan_id=fan.pk, now=now)
        code = hold.reservation.code
        reservations.extend_for_payment(code=code, fan_id=fan.pk, now=now)
        _pay(hold.reservation, now)
        reservations.confirm(code=code, now=now)


def _pay(reservation: Reservation, now: datetime) -> None:
    """As if the fan had paid: nobody can press buttons in the payment window here."""
    payment = Payment.objects.create(
        payment_key=uuid4(),
        reservation=reservation,
        fan_id=reservation.fan_id,
        amount=reservation.total,
        currency=reservation.currency,
        state=Payment.State.SUCCEEDED,
        charged=reservation.total,
        terms=RefundPolicy().terms,
        language="ko",
        created_at=now,
        charging_at=now,
        settled_at=now,
    )
    PaymentStep.objects.create(payment=payment, at=now, after=payment.state)
    if settings.PAYMENTS_SANDBOX:
        from payments.sandbox.testing import record_charge  # installed with the sandbox only

        payment.transaction_id = record_charge(
            payment_id=payment.number, amount=payment.amount, currency=payment.currency, now=now
        )
        payment.save(update_fields=["transaction_id"])

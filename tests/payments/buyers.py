"""Buyers and workers as tests need them, and the check that money and seats agree."""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from payments import services
from payments.gateways import gateway
from payments.models import OutboxMessage, Payment, Refund
from payments.saga import payment_steps
from payments.sandbox import testing, timers
from payments.sandbox.models import Cancellation
from payments.sandbox.testing import Behaviour
from reservations import services as reservations
from reservations.models import Reservation
from tests.making import seat_ids
from tests.reservations.acting import hold
from tests.waiting import wait_until
from ticketing.core import clock, event_loop
from ticketing.events.models import Event, Seat

State = Payment.State


class Buyer:
    def __init__(
        self,
        event: Event,
        fan: Any,
        now: datetime,
        first: int = 0,
        seats: list[int] | None = None,
    ) -> None:
        self.event, self.fan, self.now = event, fan, now
        self.seats = seats or seat_ids(event)[first : first + 2]
        self.code = hold(event, fan, now, *self.seats).reservation.code
        self.key = uuid4()

    @property
    def token(self) -> str:
        return reservations.payment_token(code=self.code, fan_id=self.fan.pk, now=self.now)

    @property
    def reservation(self) -> Reservation:
        return Reservation.objects.get(code=self.code)

    @property
    def payment(self) -> Payment:
        return Payment.objects.get(payment_key=self.key)

    def start(self, **more: Any) -> Payment:
        wish = {"token": self.token, "payment_key": self.key, "now": self.now, "language": "en"}
        return services.begin_payment(**{"code": self.code, "fan_id": self.fan.pk} | wish | more)

    def agree(self, behaviour: Behaviour | None = None, **more: Any) -> dict[str, str]:
        """Pay in the gateway's window; returns the parameters of the return URL."""
        return testing.pay(self.payment.number, behaviour, **more)

    def start_charge(self, token: str) -> Payment:
        """What confirming does before it asks the gateway."""
        whose: Any = {"number": self.payment.number, "fan_id": self.fan.pk, "now": self.now}
        whose |= {"token": token, "transaction_id": ""}
        charging, is_started = event_loop.blocking(payment_steps.start_charge)(**whose)
        assert is_started
        return charging

    def confirm(self, answer: dict[str, str], **more: Any) -> Payment:
        whose = {"number": self.payment.number, "fan_id": self.fan.pk, "now": self.now}
        return services.confirm_payment(
            **whose | {"payment_token": answer.get("paymentToken", "")} | more
        )

    def buy(self, behaviour: Behaviour | None = None, **more: Any) -> Payment:
        self.start()
        return self.confirm(self.agree(behaviour, **more))


@event_loop.blocking
async def ask_gateway(method: str, **arguments: Any) -> Any:
    return await getattr(gateway(), method)(**arguments)


def end_pending_refunds() -> None:
    """What the gateway has promised back is on its way no longer; it has told us so."""
    Cancellation.objects.update(due_at=clock.now())
    for timer in timers.pending():
        timer.fire()
    testing.wait()


def settle_in_background() -> None:
    """Wait until everything that was started in the background is done."""
    wait_until(lambda: not event_loop.background())


def work(now: datetime) -> int:
    """Settle every due payment as the workers do; returns how many there were."""
    due = services.claim_due_payments(now=now)
    for pk in due:
        services.settle_payment(pk=pk, now=now)
    return len(due)


def work_until_settled(now: datetime, *, minutes: int = 45) -> datetime:
    """Settle for 45 minutes, in steps long enough for every retry to be due."""
    testing.wait()
    end = now + timedelta(minutes=minutes)
    while now < end:
        now += timedelta(minutes=3)
        work(now)
        reservations.expire_holds(now=now)
    return now


def money_and_seats_agree(event: Event) -> bool:
    """The sandbox's ledger, our rows and the seats agree, and nothing is under way."""
    for payment in Payment.objects.select_related("reservation"):
        taken, state = testing.net_charged(payment.number), payment.reservation.state
        assert taken == payment.left, (payment.state, taken, payment.left)
        assert payment.state not in (*Payment.OPEN, State.REFUNDING), payment.state
        if payment.state == State.SUCCEEDED:
            assert state == Reservation.State.CONFIRMED, state
    for reservation in Reservation.objects.filter(event=event):
        paid = sum(p.left for p in reservation.payments.all())
        is_sold = reservation.state == Reservation.State.CONFIRMED
        prices = sum(seat.price for seat in reservation.seats.all()) if is_sold else 0
        fees = sum(p.fees for p in reservation.payments.all())
        assert paid == prices + fees, (reservation.state, paid, fees)
        gone = sum(seat.price for seat in reservation.cancelled.all())
        assert not is_sold or prices + gone == reservation.total
        assert reservation.state != Reservation.State.PAYING
    assert not reservations.inconsistent_seats(event_id=event.pk)
    assert not Refund.objects.filter(state=Refund.State.REQUESTED).exists()
    return True


def seat_states(buyer: Buyer) -> set[str]:
    return set(Seat.objects.filter(pk__in=buyer.seats).values_list("state", flat=True))


def add_earlier_message(buyer: Buyer) -> None:
    """Another message about the order, in front of the one that the purchase wrote."""
    OutboxMessage.objects.create(
        aggregate=f"reservation:{buyer.code}",
        sequence=0,
        kind="PaymentSucceeded",
        body={},
        created_at=buyer.now,
        due_at=buyer.now,
    )


def messages() -> list[str]:
    return list(OutboxMessage.objects.order_by("id").values_list("kind", flat=True))

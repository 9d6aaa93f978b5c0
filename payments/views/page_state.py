"""What the result page shows, by the states of a payment and its reservation."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise

from payments.models import Payment
from payments.selectors import Order, is_auto_refunded
from payments.views.labels import failure_label
from reservations.models import Reservation

State, ReservationState = Payment.State, Reservation.State
# Seconds between reloads without a script, and milliseconds until the script's first poll.
POLLING = {
    "checking": (5, 1_000),
    "closing": (5, 2_000),
    "auto_refund": (30, 5_000),
    "open": (60, 5_000),
}


@dataclass(frozen=True)
class PageState:
    name: str
    payment: Payment
    order: Order
    now: datetime

    @property
    def template(self) -> str:
        return f"payments/result/_{self.name}.html"

    @property
    def refresh_after(self) -> int | None:
        return POLLING[self.name][0] if self.may_change else None

    @property
    def first_poll_ms(self) -> int:
        return POLLING[self.name][1]

    @property
    def may_change(self) -> bool:
        """Whether another tab, a worker or the gateway may change the state."""
        is_over = self.name == "auto_refund" and self.payment.state == State.REFUNDED
        return self.name in POLLING and not is_over

    @property
    def may_try_again(self) -> bool:
        """The seats are held, and time is left."""
        reservation = self.order.reservation
        return reservation.state == ReservationState.HELD and not reservation.is_overdue(self.now)

    @property
    def failure(self) -> str | Promise:
        return failure_label(self.payment)


def page_state(payment: Payment, order: Order, now: datetime) -> PageState:
    return PageState(_name(payment, order, now), payment, order, now)


def _name(payment: Payment, order: Order, now: datetime) -> str:
    reservation = order.reservation
    match payment.state:
        case State.PENDING | State.PREPARED:
            return "open" if reservation.deadline > now else "closing"
        case State.CHARGING:
            return "checking"
        case State.SUCCEEDED:
            return "paid" if reservation.state == ReservationState.CONFIRMED else "unclear"
        case State.FAILED | State.CANCELLED:
            return _name_of_failed(reservation, now)
    return "auto_refund" if is_auto_refunded(payment) else "refund"


def _name_of_failed(reservation: Reservation, now: datetime) -> str:
    match reservation.state:
        case ReservationState.HELD if not reservation.is_overdue(now):
            return "failed"
        case ReservationState.PAYING:
            return "another"
        case ReservationState.CONFIRMED | ReservationState.REFUNDED:
            return "bought"
    return "gone"

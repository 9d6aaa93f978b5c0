"""What one payment looks like to its owner at one moment: a scene for each pair of states."""

from dataclasses import dataclass
from datetime import datetime

from django.utils.functional import Promise

from payments.models import Payment
from payments.orders import Order, is_owed
from payments.views.words import why
from reservations.models import Reservation

State, Held = Payment.State, Reservation.State
# Without a script, so often does the page look again; with one, so soon for the first time.
LOOKS = {"checking": (5, 1_000), "closing": (5, 2_000), "owed": (30, 5_000), "open": (60, 5_000)}


@dataclass(frozen=True)
class Scene:
    name: str
    payment: Payment
    order: Order
    now: datetime

    @property
    def template(self) -> str:
        return f"payments/result/_{self.name}.html"

    @property
    def refresh_after(self) -> int | None:
        return LOOKS[self.name][0] if self.is_moving else None

    @property
    def first_look_ms(self) -> int:
        return LOOKS[self.name][1]

    @property
    def is_moving(self) -> bool:
        """Whether somebody else may bring news: another tab, a worker, the gateway."""
        is_over = self.name == "owed" and self.payment.state == State.REFUNDED
        return self.name in LOOKS and not is_over

    @property
    def may_try_again(self) -> bool:
        """The seats are held, and time is left."""
        reservation = self.order.reservation
        return reservation.state == Held.HELD and not reservation.is_overdue(self.now)

    @property
    def why(self) -> str | Promise:
        return why(self.payment)


def scene_of(payment: Payment, order: Order, now: datetime) -> Scene:
    return Scene(_name(payment, order, now), payment, order, now)


def _name(payment: Payment, order: Order, now: datetime) -> str:
    reservation = order.reservation
    match payment.state:
        case State.PENDING | State.PREPARED:
            return "open" if reservation.deadline > now else "closing"
        case State.CHARGING:
            return "checking"
        case State.SUCCEEDED:
            return "paid" if reservation.state == Held.CONFIRMED else "unclear"
        case State.FAILED | State.CANCELLED:
            return _name_of_failed(reservation, now)
    return "owed" if is_owed(payment) else "refund"


def _name_of_failed(reservation: Reservation, now: datetime) -> str:
    match reservation.state:
        case Held.HELD if not reservation.is_overdue(now):
            return "failed"
        case Held.PAYING:
            return "another"
        case Held.CONFIRMED | Held.REFUNDED:
            return "bought"
    return "gone"

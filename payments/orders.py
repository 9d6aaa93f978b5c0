"""What fans see of their orders: the seats, what was paid for them, and what came back."""

from collections import defaultdict
from collections.abc import Collection, Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from payments.errors import NoPayment
from payments.models import Payment
from reservations.errors import NoReservation
from reservations.models import Reservation
from reservations.selectors import with_seats

State = Payment.State
# What never came to anything is no order.
NOTHING = (State.FAILED, State.CANCELLED)
BESIDE = ("event__plan__venue", "event__organiser")


@dataclass(frozen=True)
class Order:
    """A reservation with its seats, and its payments with their refunds, the newest first."""

    reservation: Reservation
    seats: list[dict[str, Any]]
    payments: list[Payment]

    @property
    def payment(self) -> Payment | None:
        """The one that bought these seats."""
        return next((one for one in self.payments if one.charged and not is_owed(one)), None)

    @property
    def open_payment(self) -> Payment | None:
        return next((one for one in self.payments if one.is_open), None)

    @property
    def owed(self) -> list[Payment]:
        """Charged without getting the seats."""
        return [one for one in self.payments if is_owed(one)]

    @property
    def moving(self) -> Payment | None:
        """The one of which something is not known yet."""
        unknown = (State.CHARGING, State.REFUNDING)
        return next((one for one in self.payments if one.state in unknown), None)

    @property
    def word(self) -> str:
        """What it is to its owner, for badge and page."""
        if self.reservation.state == Reservation.State.PAYING:
            return "checking" if self.moving else "open"
        if self.payment is None:
            return "owed" if self.owed else "none"
        if self.payment.state == State.REFUNDING:
            return "refunding"
        if self.reservation.state == Reservation.State.CONFIRMED:
            return "paid"
        return "unclear" if self.payment.state == State.SUCCEEDED else "refunded"


def is_owed(payment: Payment) -> bool:
    """Whether it goes back, or went, because nobody got anything for it."""
    return any(refund.is_owed for refund in payment.refunds.all())


def own_orders(*, fan_id: int) -> QuerySet[Reservation]:
    """What this person bought, is buying, or got money back for."""
    payments = Payment.objects.filter(reservation=OuterRef("pk")).exclude(state__in=NOTHING)
    mine = Reservation.objects.filter(Exists(payments), fan_id=fan_id)
    return mine.select_related(*BESIDE).order_by("-pk")


def own_order(*, code: str, fan_id: int) -> Order:
    mine = Reservation.objects.filter(code=code.upper(), fan_id=fan_id).select_related(*BESIDE)
    found = as_orders(mine)
    if not found:
        raise NoReservation()
    return found[0]


def own_payment_with_order(*, number: str, fan_id: int) -> tuple[Payment, Order]:
    beside = [f"reservation__{name}" for name in BESIDE]
    mine = Payment.objects.filter(number=number, fan_id=fan_id).select_related(*beside)
    for found in mine:
        [order] = as_orders([found.reservation])
        return next(one for one in order.payments if one.pk == found.pk), order
    raise NoPayment()


def as_orders(reservations: Iterable[Reservation]) -> list[Order]:
    """Three statements, however many there are, and one for the reservations."""
    holds = with_seats(reservations)
    payments: dict[int, list[Payment]] = defaultdict(list)
    theirs = {hold.reservation.pk: hold.reservation for hold in holds}
    for one in _payments_of(theirs):
        one.reservation = theirs[one.reservation_id]
        payments[one.reservation_id].append(one)
    return [Order(hold.reservation, hold.seats, payments[hold.reservation.pk]) for hold in holds]


def _payments_of(reservations: Collection[int]) -> QuerySet[Payment]:
    theirs = Payment.objects.filter(reservation__in=reservations)
    return theirs.prefetch_related("refunds").order_by("-pk")

"""A fan's orders: reservations with their seats, payments and refunds."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

from django.db.models import Exists, OuterRef, QuerySet

from payments.errors import NoPayment
from payments.models import Payment
from reservations.errors import NoReservation
from reservations.models import Reservation
from reservations.selectors import with_seats

State = Payment.State
# A reservation whose payments all ended like this is not an order.
UNPAID = (State.FAILED, State.CANCELLED)
RELATED = ("event__plan__venue", "event__organiser")


@dataclass(frozen=True)
class Order:
    """A reservation with its seats, and its payments with their refunds, newest first."""

    reservation: Reservation
    seats: list[dict[str, Any]]
    payments: list[Payment]

    @property
    def payment(self) -> Payment | None:
        """The payment that bought these seats."""
        bought = (one for one in self.payments if one.charged and not is_auto_refunded(one))
        return next(bought, None)

    @property
    def open_payment(self) -> Payment | None:
        return next((one for one in self.payments if one.is_open), None)

    @property
    def auto_refunded(self) -> list[Payment]:
        """Payments that were charged without buying the seats."""
        return [one for one in self.payments if is_auto_refunded(one)]

    @property
    def unsettled(self) -> Payment | None:
        """The payment whose charge or refund is not known yet."""
        unknown = (State.CHARGING, State.REFUNDING)
        return next((one for one in self.payments if one.state in unknown), None)

    @property
    def status(self) -> str:
        """The state of the order as its owner sees it, for badge and page."""
        if self.reservation.state == Reservation.State.PAYING:
            return "checking" if self.unsettled else "open"
        if self.payment is None:
            return "auto_refunded" if self.auto_refunded else "none"
        if self.payment.state == State.REFUNDING:
            return "refunding"
        if self.reservation.state == Reservation.State.CONFIRMED:
            return "paid"
        return "unclear" if self.payment.state == State.SUCCEEDED else "refunded"


def is_auto_refunded(payment: Payment) -> bool:
    """Whether its charge bought no seats and therefore is or was refunded by the system."""
    return any(refund.is_owed for refund in payment.refunds.all())


def own_orders(*, fan_id: int) -> QuerySet[Reservation]:
    """Reservations that this person bought, is buying, or was refunded for."""
    payments = Payment.objects.filter(reservation=OuterRef("pk")).exclude(state__in=UNPAID)
    mine = Reservation.objects.filter(Exists(payments), fan_id=fan_id)
    return mine.select_related(*RELATED).order_by("-pk")


def own_order(*, code: str, fan_id: int) -> Order:
    mine = Reservation.objects.filter(code=code.upper(), fan_id=fan_id).select_related(*RELATED)
    found = as_orders(mine)
    if not found:
        raise NoReservation()
    return found[0]


def own_payment_with_order(*, number: str, fan_id: int) -> tuple[Payment, Order]:
    related = [f"reservation__{name}" for name in RELATED]
    mine = Payment.objects.filter(number=number, fan_id=fan_id).select_related(*related)
    for found in mine:
        [order] = as_orders([found.reservation])
        return next(one for one in order.payments if one.pk == found.pk), order
    raise NoPayment()


def as_orders(reservations: Iterable[Reservation]) -> list[Order]:
    """Three statements for any number of reservations, besides reading those."""
    holds = with_seats(reservations)
    payments: dict[int, list[Payment]] = defaultdict(list)
    theirs = {hold.reservation.pk: hold.reservation for hold in holds}
    found = Payment.objects.filter(reservation__in=theirs).prefetch_related("refunds")
    for one in found.order_by("-pk"):
        one.reservation = theirs[one.reservation_id]
        payments[one.reservation_id].append(one)
    return [Order(hold.reservation, hold.seats, payments[hold.reservation.pk]) for hold in holds]

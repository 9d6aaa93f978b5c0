"""A fan's orders: reservations with their seats, payments and refunds."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from payments.errors import NoPayment
from payments.models import Payment, Refund
from reservations.errors import NoReservation
from reservations.models import Reservation
from reservations.selectors import cancelled_seats, with_seats
from ticketing.core.prepared_queries import PreparedQuery, ids_text, is_any_of
from ticketing.core.sql import rows

State = Payment.State
# A reservation whose payments all ended like this is not an order.
UNPAID = [str(State.FAILED), str(State.CANCELLED)]
OWN_ORDER_IDS = """
SELECT reservation.id
FROM reservations_reservation AS reservation
WHERE reservation.fan_id = %(fan)s::bigint AND EXISTS (
    SELECT FROM payments_payment AS payment
    WHERE payment.reservation_id = reservation.id AND payment.state <> ALL(%(unpaid)s::text[])
)
ORDER BY reservation.id DESC
"""
RELATED = ("event__plan__venue", "event__organiser")


@dataclass(frozen=True)
class Order:
    """A reservation with its seats, and its payments with their refunds, newest first."""

    reservation: Reservation
    seats: list[dict[str, Any]]
    payments: list[Payment]

    @cached_property
    def payment(self) -> Payment | None:
        """The payment that bought these seats."""
        bought = (one for one in self.payments if one.charged and not is_auto_refunded(one))
        return next(bought, None)

    @cached_property
    def cancelled(self) -> list[dict[str, Any]]:
        """Seats that were cancelled while others stayed; read only if there may be any."""
        is_possible = self.payment is not None and self.payment.refunded > 0
        return cancelled_seats(self.reservation) if is_possible else []

    @cached_property
    def open_payment(self) -> Payment | None:
        return next((one for one in self.payments if one.is_open), None)

    @cached_property
    def auto_refunded(self) -> list[Payment]:
        """Payments that were charged without buying the seats."""
        return [one for one in self.payments if is_auto_refunded(one)]

    @cached_property
    def unsettled(self) -> Payment | None:
        """The payment whose charge or refund is not known yet."""
        unknown = (State.CHARGING, State.REFUNDING)
        return next((one for one in self.payments if one.state in unknown), None)

    @cached_property
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


def own_order_ids(*, fan_id: int) -> list[int]:
    """Reservations that this person bought, is buying, or was refunded for, newest first."""
    return [row["id"] for row in rows(OWN_ORDER_IDS, {"fan": fan_id, "unpaid": UNPAID})]


def orders_by_id(ids: Iterable[int]) -> list[Order]:
    """Newest first; four statements for any number."""
    return as_orders(_ORDERS.all(reservations=ids_text(ids)))


def own_order(*, code: str, fan_id: int) -> Order:
    found = as_orders(_OWN_ORDER.all(code=code.upper(), fan=fan_id))
    if not found:
        raise NoReservation()
    return found[0]


def own_payment_with_order(*, number: str, fan_id: int) -> tuple[Payment, Order]:
    for found in _OWN_PAYMENT.all(number=number, fan=fan_id):
        [order] = as_orders([found.reservation])
        return next(one for one in order.payments if one.pk == found.pk), order
    raise NoPayment()


def as_orders(reservations: Iterable[Reservation]) -> list[Order]:
    """Three statements for any number of reservations, besides reading those."""
    holds = with_seats(reservations)
    payments: dict[int, list[Payment]] = defaultdict(list)
    theirs = {hold.reservation.pk: hold.reservation for hold in holds}
    for one in _with_refunds(_PAYMENTS.all(reservations=ids_text(theirs)) if theirs else []):
        one.reservation = theirs[one.reservation_id]
        payments[one.reservation_id].append(one)
    return [Order(hold.reservation, hold.seats, payments[hold.reservation.pk]) for hold in holds]


def _with_refunds(payments: list[Payment]) -> list[Payment]:
    """The payments, whose `refunds.all()` is read now, as `prefetch_related` does."""
    by_payment: dict[int, list[Refund]] = defaultdict(list)
    for refund in _REFUNDS.all(payments=ids_text(one.pk for one in payments)) if payments else []:
        by_payment[refund.payment_id].append(refund)
    for one in payments:
        refunds: Any = Refund.objects.filter(payment=one)
        refunds._result_cache = by_payment[one.pk]
        refunds._prefetch_done = True
        vars(one)["_prefetched_objects_cache"] = {"refunds": refunds}
    return payments


# Prepared: buyers look at their orders while others still buy.
_ORDERS = PreparedQuery(
    lambda it: (
        Reservation.objects.filter(is_any_of("id", it("reservations")))
        .select_related(*RELATED)
        .order_by("-pk")
    )
)
_OWN_ORDER = PreparedQuery(
    lambda it: Reservation.objects.filter(code=it("code"), fan_id=it("fan")).select_related(
        *RELATED
    )
)
_OWN_PAYMENT = PreparedQuery(
    lambda it: Payment.objects.filter(number=it("number"), fan_id=it("fan")).select_related(
        *(f"reservation__{name}" for name in RELATED)
    )
)
_PAYMENTS = PreparedQuery(
    lambda it: Payment.objects.filter(is_any_of("reservation_id", it("reservations"))).order_by(
        "-pk"
    )
)
_REFUNDS = PreparedQuery(lambda it: Refund.objects.filter(is_any_of("payment_id", it("payments"))))

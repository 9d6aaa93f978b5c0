"""A fan cancels an order or some of its seats, and knows the fee before."""

from collections.abc import Collection, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.conf import settings

from payments import selectors
from payments.errors import FeeChanged, NotRefundable, RefundInProgress, TooLateToCancel
from payments.models import Payment
from payments.selectors import FeeRate
from payments.services.deadline import Deadline
from payments.services.refunds import begin_refund_of, settle_refund
from reservations.errors import TicketTransferred, TicketUsed
from reservations.models import Ticket
from reservations.selectors import tickets_by_seat, with_seats
from ticketing.core.event_loop import blocking
from ticketing.core.fast_path.threads import in_thread

WHY = "cancelled by the fan"


@dataclass(frozen=True)
class SeatTerms:
    """A seat of the order: the fee for cancelling it now, or why that is not possible."""

    seat: dict[str, Any]
    fee: int
    refund: int
    is_chosen: bool
    obstacle: type[TicketUsed] | type[TicketTransferred] | None = None
    entry_number: int | None = None


@dataclass(frozen=True)
class CancellationTerms:
    """The fee for cancelling the chosen seats now, and the amount that is refunded."""

    payment: Payment
    rate: FeeRate
    seats: list[SeatTerms]

    @property
    def chosen(self) -> list[SeatTerms]:
        return [each for each in self.seats if each.is_chosen]

    @property
    def fee(self) -> int:
        return sum(each.fee for each in self.chosen)

    @property
    def refund(self) -> int:
        return sum(each.refund for each in self.chosen)

    @property
    def paid(self) -> int:
        return self.fee + self.refund

    @property
    def is_whole(self) -> bool:
        return len(self.chosen) == len(self.seats)

    @property
    def part(self) -> list[int]:
        """The chosen seats as a refund stores them: none for the whole order."""
        return [] if self.is_whole else [each.seat["id"] for each in self.chosen]


def cancellation_terms(
    *, number: str, fan_id: int, now: datetime, seats: Collection[int] | None = None
) -> CancellationTerms:
    """For these seats, or for all that can be cancelled."""
    payment = selectors.own_payment(number=number, fan_id=fan_id)
    [order] = with_seats([payment.reservation])
    return terms_of_order(payment, order.seats, now=now, chosen=seats)


def terms_of_order(
    payment: Payment,
    seats: Sequence[dict[str, Any]],
    *,
    now: datetime,
    chosen: Collection[int] | None,
) -> CancellationTerms:
    """The same for who has read the order."""
    reservation = payment.reservation
    if payment.state == Payment.State.REFUNDING:
        raise RefundInProgress()
    if payment.state not in selectors.PAID or reservation.state != reservation.State.CONFIRMED:
        raise NotRefundable()
    rate = selectors.fee_rate(
        policy=selectors.policy_of_payment(payment),
        event=reservation.event,
        ordered_at=payment.settled_at or payment.created_at,
        now=now,
    )
    if rate is None:
        raise TooLateToCancel()
    return CancellationTerms(payment, rate, _seat_terms(payment, seats, rate, chosen))


def begin_cancellation(
    *, number: str, fan_id: int, fee: int, now: datetime, seats: Collection[int] | None = None
) -> tuple[Payment, bool]:
    """Commit the refund for `fee`, which the fan saw and agreed to; False for a repeat."""
    try:
        terms = cancellation_terms(number=number, fan_id=fan_id, now=now, seats=seats)
        obstacles = [each.obstacle for each in terms.seats if seats is None or each.is_chosen]
        if obstacle := next(filter(None, obstacles), None):
            raise obstacle()
        if terms.fee != fee:
            raise FeeChanged(fee=terms.fee)
        if not terms.refund:
            raise NotRefundable()
        wish: Any = {"fee": fee, "frees_seats": True, "seats": terms.part, "for_fan": True}
        begun = begin_refund_of(terms.payment, terms.refund, **wish, why=WHY, now=now)
    except NotRefundable:
        earlier = _earlier(number, fan_id, fee, seats)
        if earlier is None:
            raise
        return earlier, False
    return begun, True


async def acancel_order(
    *, number: str, fan_id: int, fee: int, now: datetime, seats: Collection[int] | None = None
) -> Payment:
    """Cancel for `fee`, which the fan saw and agreed to. A repeat returns the first result."""
    wish: Any = {"number": number, "fan_id": fan_id, "fee": fee, "seats": seats, "now": now}
    payment, is_new = await in_thread(begin_cancellation, **wish)
    if not is_new:
        return payment
    return await settle_refund(payment, Deadline(settings.PAYMENT_PATIENCE), now=now)


def _seat_terms(
    payment: Payment,
    seats: Sequence[dict[str, Any]],
    rate: FeeRate,
    chosen: Collection[int] | None,
) -> list[SeatTerms]:
    """What was paid for the seats counts, by their prices: an operator may have refunded a part."""
    ids = {seat["id"] for seat in seats}
    if not ids or not ids.issuperset(chosen or ()):
        raise NotRefundable()
    tickets, prices = tickets_by_seat(payment.reservation), sum(it["price"] for it in seats)
    found, left = [], payment.paid_for_seats
    for seat in seats:
        paid = left * seat["price"] // prices if prices else 0
        left, prices = left - paid, prices - seat["price"]
        ticket = tickets.get(seat["id"])
        obstacle = _obstacle(ticket, payment.fan_id)
        is_chosen = obstacle is None if chosen is None else seat["id"] in chosen
        fee = rate.fee(paid)
        number = ticket.entry_number if ticket else None
        found.append(SeatTerms(seat, fee, paid - fee, is_chosen, obstacle, number))
    return found


def _obstacle(
    ticket: Ticket | None, fan_id: int
) -> type[TicketUsed] | type[TicketTransferred] | None:
    if ticket and ticket.state == Ticket.State.USED:
        return TicketUsed
    return TicketTransferred if ticket and ticket.holder_id != fan_id else None


def _earlier(number: str, fan_id: int, fee: int, seats: Collection[int] | None) -> Payment | None:
    """The payment, if the same was asked for before. A whole order's seats stay its own."""
    payment = selectors.own_payment(number=number, fan_id=fan_id)
    [order] = with_seats([payment.reservation])
    is_whole = seats is None or set(seats) == {it["id"] for it in order.seats}
    part = [] if is_whole else sorted(seats or ())
    wish: Any = {"number": number, "fan_id": fan_id, "fee": fee, "why": WHY}
    return selectors.cancelled_payment(**wish, seats=part)


cancel_order = blocking(acancel_order)

"""Our books, the gateway's and the seats, day by day. Says what differs; may have it settled."""

from collections.abc import Iterator
from datetime import date, datetime

from django.conf import settings

from payments import saga, selectors
from payments.gateways import Picture, Trouble, gateway
from payments.models import Payment
from payments.services.differences import Difference
from reservations.models import Reservation

State = Payment.State
UNDER_WAY = (*Payment.OPEN, State.REFUNDING)
# These vouch for seats: paid for, or about to be refunded and not yet given back.
VOUCHING = (State.SUCCEEDED, State.PARTIALLY_REFUNDED, State.REFUNDING)


def reconcile(*, day: date, now: datetime, mend: bool = False) -> list[Difference]:
    """Every payment that was begun on that day, and every reservation."""
    found = []
    for payment in selectors.payments_of_day(day):
        differences = [*_money(payment, now), *_seats(payment)]
        if differences and mend:
            saga.look_soon(payment.number, now)
        found += differences
    return found + list(_unpaid_seats(day))


def _money(payment: Payment, now: datetime) -> Iterator[Difference]:
    if payment.state in UNDER_WAY:
        if payment.due_at is None or payment.due_at < now - saga.LEASE:
            yield Difference(payment.number, "forgotten", {"payment": payment.state})
        return
    try:
        picture = gateway().look(number=payment.number, seconds=settings.PORTONE_TIMEOUT)
    except Trouble as trouble:
        yield Difference(payment.number, "not_compared", {"code": trouble.code})
        return
    if payment.left != _kept(picture):
        facts = {"ours": payment.left, "theirs": _kept(picture), "currency": payment.currency}
        yield Difference(payment.number, "kept", facts)


def _kept(picture: Picture) -> int:
    was_charged = picture.word in ("paid", "cancelled")
    return picture.amount - picture.cancelled if was_charged else 0


def _seats(payment: Payment) -> Iterator[Difference]:
    reservation = payment.reservation
    if payment.state == State.SUCCEEDED and reservation.state != Reservation.State.CONFIRMED:
        facts = {"order": reservation.code, "reservation": reservation.state}
        yield Difference(payment.number, "seats_gone", facts)


def _unpaid_seats(day: date) -> Iterator[Difference]:
    """Confirmed, though nobody paid."""
    for reservation in selectors.confirmed_of_day(day).exclude(payments__state__in=VOUCHING):
        yield Difference(reservation.code, "not_paid")

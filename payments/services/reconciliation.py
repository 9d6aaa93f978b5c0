"""Compares our payments with the gateway's and with the seats, day by day."""

from collections.abc import Iterator
from datetime import date, datetime
from itertools import count

from django.conf import settings

from payments import selectors
from payments.gateways import GatewayError, GatewayPayment, gateway
from payments.models import Payment
from payments.saga import schedule
from payments.services.differences import Difference
from reservations.models import Reservation

State = Payment.State
UNDER_WAY = (*Payment.OPEN, State.REFUNDING)
# A confirmed reservation needs a payment in one of these states.
COVERING = (State.SUCCEEDED, State.PARTIALLY_REFUNDED, State.REFUNDING)


def reconcile(*, day: date, now: datetime, mend: bool = False) -> list[Difference]:
    """The differences of a day, of payments and reservations; `mend` has the payments settled."""
    found = []
    for payment in selectors.payments_of_day(day):
        differences = [*_amount_differences(payment, now), *_seat_differences(payment)]
        if differences and mend:
            schedule.settle_soon(payment.number, now)
        found += differences
    return found + list(_unpaid_reservations(day)) + list(_unknown_charges(day))


def _amount_differences(payment: Payment, now: datetime) -> Iterator[Difference]:
    if payment.state in UNDER_WAY:
        if payment.due_at is None or payment.due_at < now - schedule.LEASE:
            yield Difference(payment.number, "forgotten", {"payment": payment.state})
        return
    try:
        found = gateway().fetch(number=payment.number, timeout=settings.PORTONE_TIMEOUT)
    except GatewayError as error:
        yield Difference(payment.number, "not_compared", {"code": error.code})
        return
    if payment.left != _kept(found):
        facts = {"ours": payment.left, "theirs": _kept(found), "currency": payment.currency}
        yield Difference(payment.number, "kept", facts)


def _kept(found: GatewayPayment) -> int:
    """What the gateway charged and has not refunded."""
    was_charged = found.status in ("paid", "cancelled")
    return found.amount - found.refunded if was_charged else 0


def _seat_differences(payment: Payment) -> Iterator[Difference]:
    reservation = payment.reservation
    if payment.state == State.SUCCEEDED and reservation.state != Reservation.State.CONFIRMED:
        facts = {"order": reservation.code, "reservation": reservation.state}
        yield Difference(payment.number, "seats_gone", facts)


def _unpaid_reservations(day: date) -> Iterator[Difference]:
    """Reservations that are confirmed though nobody paid."""
    for reservation in selectors.confirmed_of_day(day).exclude(payments__state__in=COVERING):
        yield Difference(reservation.code, "not_paid")


def _unknown_charges(day: date) -> Iterator[Difference]:
    """Charges that only the gateway knows; without an API secret nobody can pay there."""
    if not settings.PORTONE_API_SECRET:
        return
    try:
        for payments in _pages(day):
            for number in sorted(selectors.unknown_numbers(payments)):
                found = payments[number]
                is_test = found.is_test and not settings.PORTONE_TAKES_TEST  # moved no money
                if (kept := _kept(found)) and not is_test:
                    facts = {"theirs": kept, "currency": found.currency}
                    yield Difference(number, "unheard_of", facts)
    except GatewayError as error:
        yield Difference(day.isoformat(), "not_listed", {"code": error.code})


def _pages(day: date) -> Iterator[dict[str, GatewayPayment]]:
    since, until = selectors.day_bounds(day)
    for number in count():
        page = gateway().list_payments(
            since=since, until=until, page=number, timeout=settings.PORTONE_TIMEOUT
        )
        yield page.payments
        if page.is_last:
            return

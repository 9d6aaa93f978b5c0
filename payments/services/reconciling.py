"""Our books, the gateway's and the seats, day by day. Says what differs; may have it settled."""

from collections.abc import Iterator
from datetime import date, datetime
from itertools import count
from typing import Any

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
    """Every payment that was begun on that day, here or there, and every reservation."""
    found = []
    for payment in selectors.payments_of_day(day):
        differences = [*_money(payment, now), *_seats(payment)]
        if differences and mend:
            saga.look_soon(payment.number, now)
        found += differences
    return found + list(_unpaid_seats(day)) + list(_money_of_nobody(day))


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


def _money_of_nobody(day: date) -> Iterator[Difference]:
    """Taken by the gateway, and we have never heard of it; without keys nobody can pay there."""
    if not settings.PORTONE_API_SECRET:
        return
    try:
        for pictures in _pages(day):
            for number in sorted(selectors.strangers(pictures)):
                yield from _stranger(number, pictures[number])
    except Trouble as trouble:
        yield Difference(day.isoformat(), "not_listed", {"code": trouble.code})


def _pages(day: date) -> Iterator[dict[str, Picture]]:
    since, until = selectors.day_bounds(day)
    for number in count():
        span: Any = {"since": since, "until": until, "page": number}
        page = gateway().page_of_day(**span, seconds=settings.PORTONE_TIMEOUT)
        yield page.pictures
        if page.is_last:
            return


def _stranger(number: str, picture: Picture) -> Iterator[Difference]:
    """What went through a test channel is no money."""
    is_play = picture.is_test and not settings.PORTONE_TAKES_TEST
    if (kept := _kept(picture)) and not is_play:
        yield Difference(number, "unheard_of", {"theirs": kept, "currency": picture.currency})

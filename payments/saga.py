"""The steps of a payment. Each is one transaction and leaves a state from which others can go on.

The gateway is asked between them, never inside one. A step that finds the payment elsewhere than it
was believes the row, changes nothing and returns None: somebody else was faster.
"""

from datetime import datetime, timedelta
from typing import Any
from uuid import uuid4

from django.conf import settings
from django.db import transaction

from payments import locks, outbox, selectors
from payments.errors import KeyReused
from payments.gateways import Picture
from payments.models import Payment, Refund
from reservations import services as reservations
from reservations.models import Reservation
from ticketing.accounts.models import User

State = Payment.State
ELSEWHERE = "refunded at the gateway"
# What failed or was given up is looked at again so long after: a charge might have been late.
LAST_LOOKS = (timedelta(minutes=10), timedelta(hours=1), timedelta(days=1))
# Nobody can be at work on it any longer than this.
LEASE = timedelta(seconds=90)
# A browser's own call gives up much sooner: so long after that, somebody else looks.
GRACE = timedelta(seconds=5)


@transaction.atomic
def begin(
    *, code: str, fan_id: int, number: str, payment_key: Any, language: str, now: datetime
) -> Payment:
    """The hold is marked as being paid, and can't run out from here on; or one is under way."""
    reservation = reservations.extend_for_payment(code=code, fan_id=fan_id, now=now)
    begun = locks.open_payment(
        reservation=reservation,
        number=number,
        payment_key=payment_key,
        language=language,
        now=now,
    )
    begun = begun or selectors.open_payment_of(code)
    if begun is None:  # the key was used for other seats, this very moment: these stay held
        raise KeyReused()
    return begun


def mark_prepared(payment: Payment, *, now: datetime) -> Payment | None:
    """The gateway knows the amount."""
    return locks.move_payment(payment, to=State.PREPARED, now=now)


def mark_charging(
    payment: Payment, *, token: str, transaction_id: str, now: datetime
) -> Payment | None:
    """Written before the gateway is asked: from here on only its answer moves the payment."""
    return locks.move_payment(
        payment,
        to=State.CHARGING,
        now=now,
        payment_token=token,
        transaction_id=transaction_id,
        charging_at=now,
        due_at=now + timedelta(seconds=settings.PAYMENT_PATIENCE) + GRACE,
    )


@transaction.atomic
def succeed(payment: Payment, picture: Picture, *, now: datetime) -> Payment | None:
    """Seats sold, reservation confirmed, and everybody to be told: all or none."""
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    if reservation.state != Reservation.State.PAYING:
        return owe_back(payment, picture, "the seats were gone", now=now)
    moved = locks.move_payment(
        payment,
        to=State.SUCCEEDED,
        when=Payment.OPEN,
        now=now,
        charged=picture.amount,
        transaction_id=picture.transaction_id,
        settled_at=now,
        due_at=None,
        payment_token="",
    )
    if moved:
        reservations.confirm(code=reservation.code, now=now)
        kinds = (outbox.PAYMENT_SUCCEEDED, outbox.RESERVATION_CONFIRMED)
        outbox.put(moved, reservation, *kinds, now=now)
    return moved


@transaction.atomic
def fail(payment: Payment, code: str, words: str, *, now: datetime) -> Payment | None:
    """Not charged. The fan may try again while time is left; if none is, the seats go back."""
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    return _end(payment, reservation, State.FAILED, code, words, now)


@transaction.atomic
def give_up(payment: Payment, why: str, *, now: datetime) -> Payment | None:
    """Nobody paid in time, and the gateway knows of no charge."""
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    return _end(payment, reservation, State.CANCELLED, why, "", now)


@transaction.atomic
def owe_back(payment: Payment, picture: Picture, why: str, *, now: datetime) -> Payment | None:
    """It was charged, but nobody may have the seats for it: the money goes back, by itself."""
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    fresh = locks.payment_for_update(payment.pk)
    was_open = fresh.is_open
    moved = locks.move_payment(
        fresh,
        to=State.REFUNDING,
        when=[*Payment.OPEN, State.FAILED, State.CANCELLED],
        note=why,
        now=now,
        charged=picture.amount,
        refunded=picture.cancelled,
        transaction_id=picture.transaction_id,
        failure_code=why[:100],
        due_at=now,
    )
    if moved:
        _request_back(moved, moved.left, why=why, now=now, is_owed=True)
        if was_open:
            _let_go(reservation, now)
            outbox.put(moved, reservation, outbox.PAYMENT_FAILED, now=now, why=why)
    return moved


@transaction.atomic
def begin_refund(
    payment: Payment,
    amount: int,
    *,
    why: str,
    now: datetime,
    by: int | None = None,
    fee: int = 0,
    frees_seats: bool,
    for_fan: bool = False,
) -> Payment | None:
    """Written before the gateway is asked, and asked for until it has answered.

    None if somebody was faster, also if less is left by now than when this was decided.
    From this moment on nobody walks in with the tickets; those that were used stop it here.
    """
    reservations.lock_for_payment(code=payment.reservation.code)
    if locks.payment_for_update(payment.pk).left != payment.left:
        return None
    moved = locks.move_payment(
        payment,
        to=State.REFUNDING,
        when=[State.SUCCEEDED, State.PARTIALLY_REFUNDED],
        note=why,
        by=by,
        now=now,
        due_at=now + LEASE,
    )
    if moved:
        if frees_seats:
            code = payment.reservation.code
            reservations.suspend_tickets(code=code, for_fan=for_fan, now=now)
        more = {"by_id": by, "fee": fee, "frees_seats": frees_seats}
        _request_back(moved, amount, why=why, now=now, **more)
    return moved


@transaction.atomic
def finish_refund(payment: Payment, cancelled: int, *, now: datetime) -> Payment | None:
    """The money is back. If the seats go with it, they do so now.

    They do with the last of it, too; unless somebody has walked in on them.
    """
    reservation = reservations.lock_for_payment(code=payment.reservation.code)
    fresh = locks.payment_for_update(payment.pk)
    refund = locks.open_refund_for_update(fresh)
    if fresh.state != State.REFUNDING or refund is None:
        return None
    is_all = cancelled >= fresh.charged
    moved = locks.move_payment(
        fresh,
        to=State.REFUNDED if is_all else State.PARTIALLY_REFUNDED,
        now=now,
        refunded=min(cancelled, fresh.charged),
        settled_at=fresh.settled_at or now,
        due_at=None,
        attempts=0,
    )
    if moved is None:
        return None
    _close(refund, Refund.State.DONE, "", now)
    kinds = [outbox.REFUNDED]
    is_over = refund.frees_seats or (
        is_all and not reservations.has_used_tickets(code=reservation.code)
    )
    if is_cancelled := is_over and reservation.state == Reservation.State.CONFIRMED:
        reservations.refund(code=reservation.code, now=now)
        kinds.append(outbox.RESERVATION_CANCELLED)
    more = {"refunded": refund.amount, "fee": refund.fee, "why": refund.why}
    more |= {"is_owed": refund.is_owed, "is_cancelled": is_cancelled}
    outbox.put(moved, reservation, *kinds, now=now, **more)
    return moved


@transaction.atomic
def write_refund(payment: Payment, cancelled: int, *, now: datetime) -> Payment | None:
    """Money went back by another way than ours: a refund that is begun and done at once."""
    amount = cancelled - payment.refunded
    begun = begin_refund(payment, amount, why=ELSEWHERE, frees_seats=False, now=now)
    return finish_refund(begun, cancelled, now=now) if begun else None


@transaction.atomic
def restate_refund(payment: Payment, cancelled: int, *, now: datetime) -> None:
    """A part went back by another way: ours comes on top, and is asked for by a new key."""
    reservations.lock_for_payment(code=payment.reservation.code)
    fresh = locks.payment_for_update(payment.pk)
    refund = locks.open_refund_for_update(fresh)
    if refund is None or cancelled <= refund.before:
        return
    done = {"state": Refund.State.DONE, "ended_at": now}
    _request_back(fresh, cancelled - refund.before, why=ELSEWHERE, now=now, **done)
    left = fresh.charged - cancelled
    refund.amount = left if refund.is_owed else min(refund.amount, left)
    refund.before, refund.key = cancelled, uuid4()
    refund.save(update_fields=["amount", "before", "key"])
    Payment.objects.filter(pk=fresh.pk).update(refunded=cancelled)


@transaction.atomic
def refuse_refund(payment: Payment, words: str, *, now: datetime) -> Payment | None:
    """The gateway says no, and the fan keeps the seats; what is owed is never dropped."""
    reservations.lock_for_payment(code=payment.reservation.code)
    fresh = locks.payment_for_update(payment.pk)
    refund = locks.open_refund_for_update(fresh)
    if fresh.state != State.REFUNDING or refund is None or refund.is_owed:
        return None
    _close(refund, Refund.State.REFUSED, words, now)
    reservations.restore_tickets(code=payment.reservation.code, now=now)
    before = State.PARTIALLY_REFUNDED if fresh.refunded else State.SUCCEEDED
    note = f"refund refused: {words}"
    return locks.move_payment(fresh, to=before, now=now, note=note, due_at=None)


def look_at(payment: Payment, due: datetime | None) -> None:
    """Somebody looks again then; unless it moved meanwhile, or a webhook called for it sooner."""
    as_seen = {"state": payment.state, "due_at": payment.due_at}
    Payment.objects.filter(pk=payment.pk, **as_seen).update(due_at=due)


def look_soon(number: str, now: datetime) -> None:
    """Something happened at the gateway: the next worker looks."""
    Payment.objects.filter(number=number).update(due_at=now)


def note(payment: Payment, words: str, *, by: User | None, now: datetime) -> None:
    """A line in the timeline that moves nothing."""
    state = payment.state
    payment.steps.create(at=now, before=state, after=state, note=words[:300], by=by)


def _end(
    payment: Payment, reservation: Reservation, to: State, code: str, words: str, now: datetime
) -> Payment | None:
    moved = locks.move_payment(
        payment,
        to=to,
        when=Payment.OPEN,
        note=code,
        now=now,
        failure_code=code[:100],
        failure_message=words[:300],
        settled_at=now,
        due_at=now + LAST_LOOKS[0],
        attempts=0,
        payment_token="",
    )
    if moved:
        kinds = [outbox.PAYMENT_FAILED]
        if _let_go(reservation, now):
            kinds.append(outbox.RESERVATION_CANCELLED)
        outbox.put(moved, reservation, *kinds, now=now, why=code)
    return moved


def _let_go(reservation: Reservation, now: datetime) -> bool:
    """Whether the seats go back at once, because no time is left to try again."""
    if reservation.state != Reservation.State.PAYING:
        return False
    if reservation.deadline <= now:
        reservations.cancel(code=reservation.code, now=now)
        return True
    reservations.resume_hold(code=reservation.code, now=now)
    return False


def _request_back(payment: Payment, amount: int, **more: Any) -> None:
    why, now = more.pop("why")[:200], more.pop("now")
    Refund.objects.create(
        payment=payment,
        amount=amount,
        before=payment.refunded,
        why=why,
        created_at=now,
        **more,
    )


def _close(refund: Refund, state: Refund.State, answer: str, now: datetime) -> None:
    refund.move_to(state)
    refund.answer, refund.ended_at = answer[:300], now
    refund.save(update_fields=["state", "answer", "ended_at"])

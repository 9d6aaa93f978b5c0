"""Two who settle the same money at the same moment: with the locks, and without."""

from datetime import timedelta
from functools import partial
from threading import Barrier, Lock
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection

from payments import locks, services
from payments.models import OutboxMessage, Payment, Refund, RefundPolicy
from payments.outbox import mails
from payments.saga import payment_steps, refund_steps
from payments.sandbox import testing
from payments.sandbox.testing import Behaviour
from payments.services import cancellations
from reservations import services as reservations
from reservations import sql
from reservations.errors import HoldExpired
from reservations.models import Reservation
from tests.payments.buyers import (
    Buyer,
    add_earlier_message,
    messages,
    money_and_seats_agree,
    seat_states,
    work,
)
from tests.payments.race_controls import (
    change_sql,
    meet_before,
    together_at_locked,
    while_uncommitted,
    without_index,
)
from tests.payments.services.test_webhooks import body_of, send, signed
from tests.race import together, winners
from ticketing.core import clock
from ticketing.core.errors import IllegalMove

pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.usefixtures("paying_site"),
    pytest.mark.soak,
]
FEW = 6
STATE_CHECK = "AND before.state = ANY(%(allowed)s)"
SKIP_LOCKED = "FOR NO KEY UPDATE SKIP LOCKED"


def unique_name(column):
    """Django makes it up, when the table is made."""
    with connection.cursor() as cursor:
        found = connection.introspection.get_constraints(cursor, Payment._meta.db_table)
    return next(n for n, it in found.items() if it["unique"] and it["columns"] == [column])


@pytest.fixture(autouse=True)
def _patient(paying_site, settings):
    settings.PAYMENT_PATIENCE = settings.PORTONE_TIMEOUT = 15


def test_a_double_click_starts_one_payment(buyer):
    results = together(FEW, lambda _: buyer.start())

    assert len({payment.pk for payment in winners(results)}) == Payment.objects.count() == 1


def test_two_tabs_start_one_payment(buyer):
    results = together(FEW, lambda _: buyer.start(payment_key=uuid4()))

    assert len({payment.pk for payment in winners(results)}) == Payment.objects.count() == 1


def test_tabs_that_come_while_the_reservation_is_locked_start_one_payment(buyer):
    """None of their statements sees the payment of the first, which they find by a repeat."""
    found = together_at_locked(
        Reservation.objects.all(), FEW, lambda: buyer.start(payment_key=uuid4())
    )

    assert len({payment.pk for payment in found}) == Payment.objects.count() == 1


def test_control_without_the_constraint_every_tab_starts_a_payment(buyer):
    """The lock of the reservation lets them come one after the other, and each begins."""
    with without_index("one_open_payment_per_reservation"):
        together_at_locked(Reservation.objects.all(), FEW, lambda: buyer.start(payment_key=uuid4()))

        assert Payment.objects.count() == FEW


def test_control_without_the_keys_constraint_every_click_starts_a_payment(buyer, monkeypatch):
    with without_index("one_open_payment_per_reservation", unique_name("payment_key")):
        together_at_locked(Reservation.objects.all(), FEW, buyer.start)

        assert Payment.objects.count() == FEW


def test_a_double_click_charges_once(buyer, event):
    buyer.start()
    answer = buyer.agree()

    results = together(FEW, lambda _: buyer.confirm(answer))

    assert len(winners(results)) == FEW
    assert len(testing.charges()) == 1
    assert messages() == ["ReservationConfirmed"]
    assert money_and_seats_agree(event)


def test_many_who_settle_at_once_settle_once(buyer, event):
    """A webhook, the clock, an operator and the fan all find out at the same moment."""
    buyer.start()
    pk = buyer.start_charge(buyer.agree()["paymentToken"]).pk

    together(FEW, lambda _: services.settle_payment(pk=pk, now=buyer.now))

    assert buyer.payment.state == "succeeded"
    assert messages() == ["ReservationConfirmed"]
    assert list(buyer.payment.steps.values_list("after", flat=True)).count("succeeded") == 1
    assert money_and_seats_agree(event)


def test_control_without_the_state_check_a_payment_is_charged_many_times(buyer, monkeypatch):
    change_sql(monkeypatch, "start_charge", STATE_CHECK)
    meet_before(monkeypatch, payment_steps, "start_charge", FEW)
    buyer.start()
    answer = buyer.agree()

    together(FEW, lambda _: buyer.confirm(answer))

    assert list(buyer.payment.steps.values_list("after", flat=True)).count("charging") > 1


def webhook_and_confirm(buyer, settings):
    """The fan's call, the gateway's message, and a worker who has heard of it."""
    buyer.start()
    answer, body = buyer.agree(), body_of(buyer.payment.number)
    headers = [signed(settings, body, name=f"msg_{n}") for n in range(FEW)]

    def race(number):
        if number == 0:
            return buyer.confirm(answer)
        send(body, headers[number])
        return work(clock.now() + timedelta(minutes=2))

    return together(FEW, race)


def test_a_webhook_racing_the_confirm_sells_once(buyer, event, settings):
    results = webhook_and_confirm(buyer, settings)
    work(buyer.now + timedelta(minutes=4))

    assert len(winners(results)) == FEW
    assert messages() == ["ReservationConfirmed"]
    assert len(testing.charges()) == 1
    assert money_and_seats_agree(event)


def test_control_without_the_state_check_the_second_refunds_what_was_sold(unanswered, monkeypatch):
    """Fan and webhook both saw it charged; who comes second finds the seats sold: to whom?"""
    change_sql(monkeypatch, "move_payment", STATE_CHECK)
    meet_before(monkeypatch, payment_steps, "succeed", 2)

    together(2, lambda _: services.settle_payment(pk=unanswered.payment.pk, now=unanswered.now))

    assert unanswered.payment.state == "refunding"
    assert unanswered.reservation.state == "confirmed"


def test_expiry_and_payment_are_one_or_the_other(buyer):
    """At the very moment in which the hold runs out."""
    moment = buyer.reservation.deadline

    def race(number):
        if number % 2:
            return reservations.expire_holds(now=moment)
        return buyer.start(now=moment - timedelta(microseconds=1))

    together(4, race)

    paying = Payment.objects.count()
    assert (buyer.reservation.state, paying) in {("paying", 1), ("expired", 0)}


def start_while_it_expires(buyer):
    moment = buyer.reservation.deadline
    expire = partial(reservations.expire_holds, now=moment)
    return while_uncommitted(expire, partial(buyer.start, now=moment - timedelta(microseconds=1)))


def test_who_pays_while_the_seats_run_out_is_refused(buyer, event):
    assert isinstance(start_while_it_expires(buyer), IllegalMove)
    assert (buyer.reservation.state, seat_states(buyer)) == ("expired", {"available"})
    assert Payment.objects.count() == 0


def test_control_without_the_lock_seats_that_ran_out_are_paid_for(buyer, event, monkeypatch):
    """Payment looked before the clock took the seats away, and wrote afterwards."""
    change_sql(monkeypatch, "extend_hold", "FOR NO KEY UPDATE", place=sql)

    start_while_it_expires(buyer)

    assert (buyer.reservation.state, seat_states(buyer)) == ("paying", {"available"})
    assert reservations.inconsistent_seats(event_id=event.pk)


def test_who_gives_seats_back_while_paying_is_refused(buyer, event):
    buyer.start()
    answer = buyer.agree()
    whose = {"event_id": event.pk, "code": buyer.code, "fan_id": buyer.fan.pk}

    def race(number):
        if number % 2:
            return reservations.release(**whose, now=buyer.now)
        return buyer.confirm(answer)

    together(4, race)

    assert buyer.payment.state == "succeeded"
    assert money_and_seats_agree(event)


def test_the_clock_giving_up_and_the_fan_paying_agree(buyer, event, later):
    """The last moment: whoever is first, nobody pays for nothing."""
    buyer.start()
    pk, answer = buyer.payment.pk, buyer.agree()

    def race(number):
        if number % 2:
            return services.settle_payment(pk=pk, now=later)
        return buyer.confirm(answer, now=later)

    together(4, race)
    for minutes in (1, 12, 20):
        work(later + timedelta(minutes=minutes))

    assert money_and_seats_agree(event)


def test_two_refunds_at_once_give_back_once(buyer, event):
    payment = buyer.buy()

    together(FEW, lambda _: services.refund_payment(pk=payment.pk, why="twice", now=buyer.now))
    work(buyer.now + timedelta(minutes=5))

    assert testing.net_charged(payment.number) == 0
    assert buyer.payment.state == "refunded"
    assert messages().count("Refunded") == 1
    assert money_and_seats_agree(event)


def test_control_without_the_state_check_only_a_constraint_prevents_a_second_refund(
    buyer, monkeypatch
):
    payment = buyer.buy()
    monkeypatch.setattr(locks, "payment_for_update", lambda _: payment)
    change_sql(monkeypatch, "move_payment", STATE_CHECK)

    results = together(
        FEW,
        lambda n: refund_steps.begin(payment, 1_000, why="twice", frees_seats=False, now=buyer.now),
    )

    assert {type(each) for each in results} == {Payment, IntegrityError}
    assert Refund.objects.count() == 1


@pytest.fixture
def half(buyer, event):
    """Paid for; giving it back costs half, so that as much is left as went back."""
    RefundPolicy.objects.create(event=event, free_days=0, free_hours=0, tiers=[[0, 50]])
    payment = buyer.buy()
    fan = {"number": payment.number, "fan_id": buyer.fan.pk, "fee": payment.amount // 2}
    return partial(services.cancel_order, **fan, now=buyer.now + timedelta(minutes=1))


def test_a_cancel_pressed_many_times_at_once_gives_back_once(buyer, half):
    results = together(FEW, lambda _: half())
    work(buyer.now + timedelta(minutes=5))

    assert {payment.number for payment in results} == {buyer.payment.number}
    assert {payment.state for payment in results} <= {"refunding", "partially_refunded"}
    assert (
        testing.net_charged(buyer.payment.number) == buyer.payment.left == buyer.payment.amount // 2
    )
    assert Refund.objects.count() == 1
    assert messages().count("ReservationCancelled") == 1


def one_by_one_after_the_terms(monkeypatch, seen):
    """Both have read the fee before either gives back, and the second once the first is done."""
    begin, met, turn = cancellations.begin_refund_of, Barrier(2), Lock()
    settle = cancellations.settle_refund

    def begin_in_turn(payment, amount, **more):
        met.wait(60)
        assert turn.acquire(timeout=60)
        try:
            return begin(seen(payment), amount, **more)
        except Exception:
            turn.release()
            raise

    async def settle_and_let_the_next_begin(*args, **more):
        try:
            return await settle(*args, **more)
        finally:
            turn.release()

    monkeypatch.setattr(cancellations, "begin_refund_of", begin_in_turn)
    monkeypatch.setattr(cancellations, "settle_refund", settle_and_let_the_next_begin)


def test_a_cancel_that_comes_second_reads_what_the_first_one_did(buyer, half, monkeypatch):
    one_by_one_after_the_terms(monkeypatch, lambda payment: payment)

    results = together(2, lambda _: half())

    assert [payment.state for payment in results] == ["partially_refunded"] * 2
    assert testing.net_charged(buyer.payment.number) == buyer.payment.amount // 2


def test_control_without_what_was_seen_a_second_cancel_gives_the_fee_back_too(
    buyer, half, monkeypatch
):
    one_by_one_after_the_terms(monkeypatch, lambda payment: Payment.objects.get(pk=payment.pk))

    together(2, lambda _: half())

    assert testing.net_charged(buyer.payment.number) == 0


@pytest.fixture
def due(event, fan, now):
    """Six payments that somebody has to look at."""
    event.seats_per_person = 12
    event.save()
    for first in range(0, 12, 2):
        Buyer(event, fan, now, first=first).start()
    Payment.objects.update(due_at=now)


def test_many_workers_take_different_payments(due, now):
    claimed = together(FEW, lambda _: services.claim_due_payments(now=now, batch=2))

    assert sorted(pk for batch in claimed for pk in batch) == sorted(
        Payment.objects.values_list("pk", flat=True)
    )


def test_two_workers_that_come_while_rows_are_locked_take_none_of_them(due, now):
    claim = partial(services.claim_due_payments, now=now, batch=2)

    assert together_at_locked(Payment.objects.all(), 2, claim) == [[], []]


def test_control_without_the_lock_two_workers_take_the_same_payments(due, now, monkeypatch):
    change_sql(monkeypatch, "claim_due_payments", SKIP_LOCKED)
    claim = partial(services.claim_due_payments, now=now, batch=2)

    first, second = together_at_locked(Payment.objects.all(), 2, claim)

    assert first == second != []


def names(**which):
    found = OutboxMessage.objects.filter(**which).order_by("sequence")
    return [f"{message.aggregate}-{message.sequence}" for message in found]


@pytest.fixture
def delivered(monkeypatch):
    names = []
    monkeypatch.setattr(mails, "send_about", lambda message, *_: names.append(name_of(message)))
    return names


def name_of(message):
    return f"{message.aggregate}-{message.sequence}"


def test_control_without_the_lock_two_workers_deliver_the_same_message(
    buyer, delivered, monkeypatch
):
    buyer.buy()
    OutboxMessage.objects.update(sequence=1)
    change_sql(monkeypatch, "claim_outbox_messages", "FOR NO KEY UPDATE OF message SKIP LOCKED")
    met = Barrier(2)

    def on_the_way(message, *_):
        delivered.append(name_of(message))
        met.wait(60)  # neither is done before the other has set out

    monkeypatch.setattr(mails, "send_about", on_the_way)
    carry = partial(services.deliver_messages, now=buyer.now, limit=1)

    together_at_locked(OutboxMessage.objects.all(), 2, carry)

    assert delivered == [f"reservation:{buyer.code}-1"] * 2


def test_control_without_the_check_for_earlier_messages_they_overtake(
    buyer, delivered, monkeypatch
):
    add_earlier_message(buyer)
    buyer.buy()
    [later] = names(kind="ReservationConfirmed")
    text = locks.statement("claim_outbox_messages")
    earlier = text[text.index("AND NOT EXISTS") : text.index("ORDER BY")]
    change_sql(monkeypatch, "claim_outbox_messages", earlier)
    OutboxMessage.objects.filter(sequence=0).update(due_at=buyer.now + timedelta(seconds=1))

    services.deliver_messages(now=buyer.now)

    assert delivered == [later]


def test_many_workers_deliver_each_message_once_and_in_order(buyer, delivered):
    buyer.buy()
    add_earlier_message(buyer)

    together(FEW, lambda _: services.deliver_messages(now=buyer.now))

    assert delivered == names()
    assert set(OutboxMessage.objects.values_list("state", flat=True)) == {"delivered"}


def test_too_late_is_too_late(buyer):
    with pytest.raises(HoldExpired):
        buyer.start(now=buyer.reservation.deadline)


def test_an_unknown_outcome_is_never_charged_twice(buyer, event):
    """The fan's own call has not been answered while workers go on with it."""
    buyer.start()
    answer = buyer.agree(Behaviour.SLOW, seconds=1)
    pk = buyer.payment.pk

    def race(number):
        if number == 0:
            return buyer.confirm(answer)
        return services.settle_payment(pk=pk, now=buyer.now + timedelta(seconds=number))

    together(4, race)
    for minutes in (2, 4):
        work(buyer.now + timedelta(minutes=minutes))

    assert len(testing.charges()) == 1
    assert money_and_seats_agree(event)

"""Each step of the saga is one statement, and is right whatever its snapshot does not show."""

from concurrent.futures import ThreadPoolExecutor
from datetime import timedelta
from functools import partial
from uuid import uuid4

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction

from payments import errors, locks
from payments.gateways import GatewayPayment
from payments.models import OutboxMessage, Payment
from payments.saga import payment_steps, refund_steps
from reservations import services as reservations
from reservations.errors import NoReservation
from reservations.models import Reservation, Ticket
from tests.making import make_user, seat_ids
from tests.payments.buyers import Buyer, messages, seat_states
from tests.payments.race_controls import (
    WAITING,
    change_sql,
    together_at_locked,
    waiting_sessions,
    while_uncommitted,
)
from tests.reservations.acting import hold
from tests.waiting import wait_until
from tests.wire import traced
from ticketing.core.event_loop import blocking

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.soak]
FEW = 6
STATE_CHECKS = "AND before.state = ANY(%(allowed)s) AND reservation.state = 'paying'"


def begin(buyer, **more):
    order = {"code": buyer.code, "fan_id": buyer.fan.pk, "payment_key": buyer.key}
    return blocking(payment_steps.begin)(**order | {"language": "en", "now": buyer.now} | more)


def start_charge(buyer, number, **more):
    order = {"number": number, "fan_id": buyer.fan.pk, "token": "t", "transaction_id": ""}
    return blocking(payment_steps.start_charge)(**order | {"now": buyer.now} | more)


def charging(buyer):
    payment = blocking(payment_steps.mark_prepared)(begin(buyer), now=buyer.now)
    return start_charge(buyer, payment.number)[0]


def succeed(buyer, payment):
    charge = GatewayPayment("paid", amount=payment.amount, currency=payment.currency)
    return blocking(payment_steps.succeed)(payment, charge, now=buyer.now)


# -- how many --------------------------------------------------------------------------------------


def test_hold_to_sold_takes_eight_statements_and_a_round_trip_for_each_commit(
    event, fan, now, tmp_path
):
    buyer = Buyer(event, fan, now)
    succeed(buyer, charging(buyer))  # prepares the statements
    seats, buyer.key = seat_ids(event)[2:4], uuid4()

    with traced(tmp_path) as wire:
        buyer.code = hold(event, fan, now, *seats).reservation.code
        sold = succeed(buyer, charging(buyer))

    assert sold.state == "succeeded"
    assert len(wire.statements) <= 8, wire.statements
    assert wire.round_trips == 5  # hold, begin, mark_prepared, start_charge, succeed
    assert not {"BEGIN", "COMMIT", "SAVEPOINT"} & {*wire.statements}


def test_control_transactions_and_savepoints_are_counted(event, tmp_path):
    with traced(tmp_path) as wire, transaction.atomic(), transaction.atomic():
        event.refresh_from_db()

    assert wire.statements == ["BEGIN", "SAVEPOINT", "SELECT 1", "RELEASE", "COMMIT"]
    assert wire.round_trips == 5


def test_what_a_step_returns_needs_no_further_read(buyer, django_assert_num_queries):
    payment = begin(buyer)

    with django_assert_num_queries(0):
        order = payment.reservation
        assert (order.code, order.state, order.event_id) == (buyer.code, "paying", buyer.event.pk)
        assert str(order.event) == str(buyer.event)

    sold = succeed(buyer, charging(buyer))
    with django_assert_num_queries(0):
        assert (sold.reservation.code, sold.reservation.state) == (buyer.code, "confirmed")


# -- begin -----------------------------------------------------------------------------------------


def test_anothers_reservation_is_not_found(buyer):
    with pytest.raises(NoReservation):
        begin(buyer, fan_id=make_user(password=None).pk)


def test_the_key_finds_its_payment_whatever_became_of_it(buyer):
    sold = succeed(buyer, charging(buyer))

    assert begin(buyer).pk == sold.pk


def begin_while_the_first_is_cancelled(buyer):
    """The second begins with a key of its own, and its snapshot still shows the first as open."""
    first = begin(buyer)
    cancel = partial(payment_steps.cancel_unpaid, first, "closed", now=buyer.now)
    return while_uncommitted(cancel, partial(begin, buyer, payment_key=uuid4()))


def test_a_payment_that_ends_at_this_moment_is_not_taken_for_an_open_one(buyer):
    second = begin_while_the_first_is_cancelled(buyer)

    assert (second.state, second.payment_key == buyer.key) == ("pending", False)
    assert (buyer.payment.state, buyer.reservation.state) == ("cancelled", "paying")


def test_control_without_the_payments_lock_an_ended_payment_is_found(buyer, monkeypatch):
    change_sql(monkeypatch, "begin_payment", "FOR NO KEY UPDATE")

    found = begin_while_the_first_is_cancelled(buyer)

    assert found.state == "pending"
    assert found.number == buyer.payment.number
    assert buyer.payment.state == "cancelled"


# -- charge ----------------------------------------------------------------------------------------


def test_of_many_who_start_the_charge_one_does_and_all_see_it(buyer):
    number = blocking(payment_steps.mark_prepared)(begin(buyer), now=buyer.now).number

    found = together_at_locked(Payment.objects.all(), FEW, lambda: start_charge(buyer, number))

    assert sorted(is_started for _, is_started in found) == [False] * (FEW - 1) + [True]
    assert {payment.state for payment, _ in found} == {"charging"}


def test_control_without_the_lock_several_start_the_charge(buyer, monkeypatch):
    change_sql(monkeypatch, "start_charge", "FOR NO KEY UPDATE")
    number = blocking(payment_steps.mark_prepared)(begin(buyer), now=buyer.now).number

    found = together_at_locked(Payment.objects.all(), FEW, lambda: start_charge(buyer, number))

    assert [is_started for _, is_started in found] == [True] * FEW


def test_anothers_payment_is_not_charged(buyer):
    payment = blocking(payment_steps.mark_prepared)(begin(buyer), now=buyer.now)

    with pytest.raises(errors.NoPayment):
        start_charge(buyer, payment.number, fan_id=make_user(password=None).pk)
    assert buyer.payment.state == "prepared"


def test_a_payment_that_is_not_ready_is_returned_as_it_is(buyer):
    payment, is_started = start_charge(buyer, begin(buyer).number)

    assert (payment.state, is_started) == ("pending", False)


# -- success ---------------------------------------------------------------------------------------


def test_of_many_who_settle_one_sells(buyer):
    payment = charging(buyer)

    found = together_at_locked(Reservation.objects.all(), FEW, lambda: succeed(buyer, payment))

    assert [type(each) for each in found].count(Payment) == 1
    assert found.count(None) == FEW - 1
    assert messages() == ["ReservationConfirmed"]
    assert Ticket.objects.count() == 2
    assert list(buyer.payment.steps.values_list("after", flat=True)).count("succeeded") == 1


def test_control_without_the_state_checks_only_a_constraint_prevents_a_second_sale(
    buyer, monkeypatch
):
    change_sql(monkeypatch, "succeed_payment", STATE_CHECKS)
    payment = charging(buyer)

    found = together_at_locked(Reservation.objects.all(), FEW, lambda: succeed(buyer, payment))

    assert {type(each) for each in found} == {Payment, IntegrityError}


def sell_while_it_is_cancelled(buyer):
    """The clock has released the seats, uncommitted, when the charge turns out to be paid."""
    begin(buyer)
    late = buyer.reservation.deadline + timedelta(seconds=1)
    cancel = partial(payment_steps.cancel_unpaid, buyer.payment, "not paid in time", now=late)
    return while_uncommitted(cancel, partial(succeed, buyer, buyer.payment))


def test_a_charge_of_seats_that_are_released_at_this_moment_is_refunded(buyer, event):
    refunding = sell_while_it_is_cancelled(buyer)

    assert (refunding.state, refunding.failure_code) == ("refunding", "the seats were gone")
    assert (buyer.reservation.state, seat_states(buyer)) == ("cancelled", {"available"})
    assert not Ticket.objects.exists()


def test_control_without_the_locks_released_seats_are_sold(buyer, event, monkeypatch):
    change_sql(monkeypatch, "succeed_payment", "FOR NO KEY UPDATE OF payment")
    change_sql(monkeypatch, "succeed_payment", "FOR NO KEY UPDATE")

    sold = sell_while_it_is_cancelled(buyer)

    assert (sold.state, buyer.reservation.state) == ("succeeded", "confirmed")
    assert "ReservationCancelled" in messages()


def test_cancelling_what_is_sold_at_this_moment_changes_nothing(buyer):
    payment = charging(buyer)
    cancel = partial(payment_steps.fail, payment, "declined", "", now=buyer.now)

    assert while_uncommitted(partial(succeed, buyer, payment), cancel) is None
    assert (buyer.payment.state, seat_states(buyer)) == ("succeeded", {"sold"})


def sell_while_an_earlier_payment_is_refunded(buyer):
    """A first charge of another amount goes back while the second one buys the seats."""
    first = charging(buyer)
    wrong = GatewayPayment("paid", amount=1, currency=first.currency)
    refunding = payment_steps.auto_refund(first, wrong, "another amount", now=buyer.now)
    buyer.key = uuid4()
    second = charging(buyer)
    finish = partial(refund_steps.finish, refunding, 1, now=buyer.now)
    return while_uncommitted(finish, partial(succeed, buyer, second))


def test_messages_have_the_order_of_the_changes_whatever_a_snapshot_shows(buyer):
    assert sell_while_an_earlier_payment_is_refunded(buyer).state == "succeeded"

    in_order = OutboxMessage.objects.order_by("sequence").values_list("kind", flat=True)
    assert list(in_order) == ["PaymentFailed", "Refunded", "ReservationConfirmed"]


def test_control_counting_earlier_messages_gives_two_the_same_number(buyer, monkeypatch):
    number = "nextval('payments_outboxmessage_id_seq')"
    count = "coalesce((SELECT max(sequence) FROM payments_outboxmessage), 0) + 1"
    for name in ("succeed_payment", "add_outbox_messages"):
        change_sql(monkeypatch, name, number, count)

    refusal = sell_while_an_earlier_payment_is_refunded(buyer)

    assert isinstance(refusal, IntegrityError)
    assert "messages_have_one_order" in str(refusal)
    assert seat_states(buyer) == {"held"}


def lock_payment_while_a_sale_waits_for_the_reservation(buyer):
    """What every other transaction does: the reservation first, then its payment."""
    payment = charging(buyer)
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            reservations.lock_for_payment(code=buyer.code)
            coming = threads.submit(closing, partial(succeed, buyer, payment))
            wait_until(waiting_sessions)
            locks.payment_for_update(payment.pk)
        return coming.result()


def closing(work):
    try:
        return work()
    finally:
        connection.close()


def test_a_sale_locks_the_reservation_before_the_payment(buyer):
    assert lock_payment_while_a_sale_waits_for_the_reservation(buyer).state == "succeeded"


def test_control_the_other_order_is_a_deadlock(buyer, monkeypatch):
    inner = "WHERE id = %(id)s::bigint)"
    change_sql(monkeypatch, "succeed_payment", inner, f"{inner[:-1]} FOR NO KEY UPDATE)")

    with pytest.raises(OperationalError, match="deadlock"):
        lock_payment_while_a_sale_waits_for_the_reservation(buyer)


def test_a_connection_that_is_lost_during_the_sale_leaves_nothing(buyer):
    payment = charging(buyer)
    with ThreadPoolExecutor(1) as threads:
        with transaction.atomic():
            reservations.lock_for_payment(code=buyer.code)
            coming = threads.submit(closing, partial(succeed, buyer, payment))
            wait_until(waiting_sessions)
            with connection.cursor() as cursor:
                cursor.execute(WAITING.replace("count(DISTINCT pid)", "pg_terminate_backend(pid)"))
        with pytest.raises(OperationalError):
            coming.result()

    assert (buyer.payment.state, buyer.reservation.state) == ("charging", "paying")
    assert (messages(), Ticket.objects.count()) == ([], 0)
    assert succeed(buyer, payment).state == "succeeded"


def test_a_sale_keeps_what_others_wrote_to_its_rows_meanwhile(buyer):
    """A worker claims the payment, and the reservation gets more time, both uncommitted."""
    payment = charging(buyer)
    later = buyer.reservation.deadline + timedelta(minutes=1)

    def others_write():
        Reservation.objects.update(deadline=later)
        assert locks.claim_due_payments(now=payment.due_at, lease=later, batch=1)

    assert while_uncommitted(others_write, partial(succeed, buyer, payment)).state == "succeeded"
    assert (buyer.payment.attempts, buyer.payment.due_at) == (1, None)
    assert (buyer.reservation.state, buyer.reservation.deadline) == ("confirmed", later)
    assert seat_states(buyer) == {"sold"}

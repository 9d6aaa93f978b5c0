"""The audit rows of a rehearsal may be deleted with it; those of real sales never."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction

from payments.models import Payment, PaymentStep
from reservations.models import (
    Reservation,
    ReservationChange,
    StandbyChange,
    StandbyEntry,
    Ticket,
    TicketChange,
)
from tests.making import make_user
from tests.ticketing.rehearsal.sale_fixtures import OPTIONS
from ticketing.events.models import Event
from ticketing.rehearsal import leftovers, services
from waiting_queue import services as queues

pytestmark = pytest.mark.django_db
TABLES = (
    *("queue_queuechange", "ticketing_eventchange", "reservations_standbychange"),
    *("reservations_reservationchange", "reservations_ticketchange", "payments_paymentstep"),
)


@pytest.fixture
def rehearsal(sale, operator, now):
    return services.start_rehearsal(event_id=sale.pk, options=OPTIONS, by=operator, now=now)


@pytest.fixture(autouse=True)
def history(sale, rehearsal, now):
    """A row in each table, of the sale and of its rehearsal."""
    for event_id in (sale.pk, rehearsal.copy):
        write_history(Event.objects.get(pk=event_id), make_user(password=None), now)


def write_history(event, fan, now):
    paid = {"created_at": now, "currency": "KRW"}
    reservation = Reservation.objects.create(
        event=event, fan=fan, deadline=now + timedelta(minutes=5), total=1, **paid
    )
    ReservationChange.objects.create(reservation=reservation, at=now, before="held", after="x")
    seat = event.seats.filter(state="available").first()
    ticket = Ticket.objects.create(
        reservation=reservation, event=event, seat=seat, holder=fan, created_at=now
    )
    TicketChange.objects.create(ticket=ticket, at=now, what="voided", before="valid", after="void")
    entry = StandbyEntry.objects.create(event=event, fan=fan, quantity=1, created_at=now)
    StandbyChange.objects.create(entry=entry, at=now, after="waiting")
    payment = Payment.objects.create(
        reservation=reservation, fan=fan, payment_key=uuid4(), amount=1, due_at=now, **paid
    )
    PaymentStep.objects.create(payment=payment, at=now, before="", after="pending")
    queues.set_notice(event_id=event.pk, message="Hello.", by=fan, now=now)


def run(sql, *values):
    with connection.cursor() as cursor:
        cursor.execute(sql, values)
        return cursor.rowcount


def say(event_id):
    run("SELECT set_config('ticketing.rehearsal_over', %s, true)", str(event_id))


def rows(table, event_id):
    run(
        f"SELECT FROM {table} AS line WHERE audited_event(%s, to_jsonb(line)) = %s", table, event_id
    )
    return run(
        f"SELECT FROM {table} AS line WHERE audited_event(%s, to_jsonb(line)) = %s", table, event_id
    )


def delete(table, event_id):
    wanted = f"DELETE FROM {table} AS line WHERE audited_event(%s, to_jsonb(line)) = %s"
    with transaction.atomic():
        return run(wanted, table, event_id)


@pytest.mark.parametrize("table", TABLES)
def test_audit_rows_of_a_rehearsal_cannot_be_deleted_without_naming_it(rehearsal, table):
    with pytest.raises(IntegrityError, match="is final"):
        delete(table, rehearsal.copy)


@pytest.mark.parametrize("table", TABLES)
def test_a_transaction_that_names_the_rehearsal_may_delete_its_rows(rehearsal, table):
    say(rehearsal.copy)

    assert delete(table, rehearsal.copy) > 0


@pytest.mark.parametrize("table", TABLES)
def test_it_may_not_delete_rows_of_a_real_sale(rehearsal, sale, table):
    say(rehearsal.copy)

    with pytest.raises(IntegrityError, match="is final"):
        delete(table, sale.pk)


@pytest.mark.parametrize("table", TABLES)
def test_a_real_sale_can_t_be_passed_off_as_a_rehearsal(sale, table):
    say(sale.pk)

    with pytest.raises(IntegrityError, match="is final"):
        delete(table, sale.pk)


@pytest.mark.parametrize("table", TABLES)
def test_audit_rows_cannot_be_changed_even_then(rehearsal, table):
    say(rehearsal.copy)

    with pytest.raises(IntegrityError, match="is final"), transaction.atomic():
        run(f"UPDATE {table} SET after = 'y'")


def test_the_permission_to_delete_ends_with_the_transaction(rehearsal):
    with transaction.atomic():
        say(rehearsal.copy)
        transaction.set_rollback(True)

    with pytest.raises(IntegrityError, match="is final"):
        delete(TABLES[0], rehearsal.copy)


def test_the_clean_up_leaves_the_real_history_alone(rehearsal, sale, now):
    before = {table: rows(table, sale.pk) for table in TABLES}
    people = list(Reservation.objects.filter(event_id=rehearsal.copy).values_list("fan", flat=True))

    services.clean_up_rehearsal(code=rehearsal.code, now=now)

    left = leftovers.count(rehearsal.copy, [])
    assert not any(left.values())
    assert {table: rows(table, sale.pk) for table in TABLES} == before
    assert all(before.values())
    assert leftovers.count(rehearsal.copy, people)["accounts.User"] == 1


def test_every_model_about_events_is_known_to_the_clean_up():
    known = {model._meta.label for model, _ in leftovers.owned_by_an_event()}

    assert known >= {
        *("ticketing.Grade", "ticketing.Seat", "ticketing.EventChange", "queue.SaleQueue"),
        *("queue.QueueChange", "queue.QueueJournal", "queue.QueueDraw", "queue.BlockAppeal"),
        *("reservations.Reservation", "reservations.ReservedSeat", "reservations.HoldRequest"),
        *("reservations.Ticket", "reservations.CheckIn", "reservations.StandbyEntry"),
        *("payments.Payment", "payments.PaymentStep", "payments.Refund", "payments.RefundPolicy"),
        *("console.Sample", "console.Autopilot"),
    }

"""Audit rows can be neither changed nor deleted."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import IntegrityError, connection, transaction
from django.test import Client
from django.urls import reverse

from payments.models import Payment, PaymentStep
from reservations.models import Reservation, ReservationChange, Ticket, TicketChange
from tests.making import make_event, make_user
from ticketing.events.models import Event, EventChange
from waiting_queue import services as queues
from waiting_queue.models import QueueChange

pytestmark = pytest.mark.django_db
TABLES = (
    *("queue_queuechange", "ticketing_eventchange"),
    *("reservations_reservationchange", "reservations_ticketchange", "payments_paymentstep"),
)


@pytest.fixture(autouse=True)
def money(sale, fan, now):
    """A row in the audit tables of reservations, tickets and payments."""
    reservation = Reservation.objects.create(
        event=sale.event,
        fan=fan,
        created_at=now,
        deadline=now + timedelta(minutes=5),
        total=1,
        currency="KRW",
    )
    ReservationChange.objects.create(reservation=reservation, at=now, before="held", after="x")
    ticket = Ticket.objects.create(
        reservation=reservation,
        event=sale.event,
        seat=sale.event.seats.first(),
        holder=fan,
        code="DH2PSDDQNK",
        created_at=now,
    )
    TicketChange.objects.create(ticket=ticket, at=now, what="voided", before="valid", after="void")
    payment = Payment.objects.create(
        reservation=reservation,
        fan=fan,
        payment_key=uuid4(),
        amount=1,
        currency="KRW",
        created_at=now,
        due_at=now,
    )
    PaymentStep.objects.create(payment=payment, at=now, before="", after="pending")


def run(sql):
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(sql)
        return cursor.rowcount


@pytest.mark.parametrize("table", TABLES)
@pytest.mark.parametrize("sql", ["UPDATE {} SET before = 'x'", "DELETE FROM {}"])
def test_the_database_refuses_to_change_or_delete_audit_rows(sale, table, sql):
    with pytest.raises(IntegrityError, match="is final"):
        run(sql.format(table))


@pytest.mark.parametrize("table", TABLES)
def test_control_without_the_trigger_rows_can_be_deleted(sale, table):
    run("SET LOCAL session_replication_role = replica")

    assert run(f"DELETE FROM {table}") > 0


def test_audit_rows_outlive_a_deleted_account(sale, now):
    operator = make_user(password=None)
    queues.set_notice(event_id=sale.pk, message="Hello.", by=operator, now=now)

    operator.delete()

    change = QueueChange.objects.get(what="notice")
    assert (change.by, change.after) == (None, "Hello.")


def test_a_draft_may_be_deleted_with_its_audit_rows(now):
    draft = make_event(now, seats=False, state=Event.State.DRAFT)
    EventChange.objects.create(event=draft, at=now, what="created")

    draft.delete()

    assert not EventChange.objects.filter(what="created").exists()


@pytest.mark.parametrize("model", ["queue_queuechange", "ticketing_eventchange"])
def test_the_admin_offers_neither_change_nor_delete(sale, operator, model):
    client = Client()
    client.force_login(operator)
    change = (QueueChange if model.startswith("queue") else EventChange).objects.first()
    page = client.get(reverse(f"admin:{model}_change", args=[change.pk]))

    deleting = client.post(reverse(f"admin:{model}_delete", args=[change.pk]), {"post": "yes"})
    changing = client.post(reverse(f"admin:{model}_change", args=[change.pk]), {"what": "x"})

    assert b"deletelink" not in page.content
    assert (deleting.status_code, changing.status_code) == (403, 403)

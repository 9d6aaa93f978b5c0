"""Messages are delivered in batches over one connection, and each stands for itself."""

import logging
from datetime import timedelta

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from payments import locks, services
from payments.models import OutboxMessage
from payments.outbox import mails
from payments.services import outbox_delivery
from tests.payments.outbox.mail_server import mail_server
from tests.race import together
from ticketing.core import clock

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]
LEASE = outbox_delivery.LEASE


@pytest.fixture
def bought(buyer):
    buyer.buy()
    OutboxMessage.objects.all().delete()
    return buyer


@pytest.fixture
def server(settings):
    with mail_server() as inbox:
        settings.EMAIL_BACKEND = "django.core.mail.backends.smtp.EmailBackend"
        settings.EMAIL_HOST, settings.EMAIL_PORT = "127.0.0.1", inbox.port
        settings.EMAIL_USE_TLS = settings.EMAIL_USE_SSL = False
        yield inbox


def add_messages(bought, count, **more):
    """Messages about one order, as if they were about several."""
    body = {"reservation": bought.code, "payment": bought.payment.number, "fan": bought.fan.pk}
    body |= {"currency": "KRW", "amount": 1000, "language": "en"}
    when = {"created_at": bought.now, "due_at": bought.now}
    kind = {"kind": "ReservationConfirmed", "sequence": 1} | more
    OutboxMessage.objects.bulk_create(
        OutboxMessage(aggregate=f"reservation:X{n}", body=body, **when, **kind)
        for n in range(count)
    )


def states():
    return list(OutboxMessage.objects.order_by("id").values_list("state", flat=True))


def attempts():
    return set(OutboxMessage.objects.values_list("attempts", flat=True))


def test_twenty_mails_take_a_handful_of_statements(bought, mailoutbox):
    add_messages(bought, 20)

    with CaptureQueriesContext(connection) as queries:
        services.deliver_messages(now=bought.now)

    assert len(mailoutbox) == 20
    # Claim, people, order with event, seats and tickets, payments, mark, and nothing left to claim.
    assert len(queries) <= 9, [query["sql"] for query in queries]


def test_a_claim_reads_no_more_rows_than_it_takes(bought):
    add_messages(bought, 2000)
    how = {"now": bought.now, "lease": bought.now + LEASE, "limit": 20}

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE payments_outboxmessage")
        cursor.execute(f"EXPLAIN ANALYZE {locks.statement('claim_outbox_messages')}", how)
        plan = "\n".join(line for (line,) in cursor.fetchall())

    assert "Seq Scan" not in plan
    assert "rows=2000.00" not in plan


def test_one_message_that_fails_delays_only_its_aggregate(bought, mailoutbox):
    add_messages(bought, 3)
    add_messages(bought, 3, sequence=2)
    bad = OutboxMessage.objects.filter(aggregate="reservation:X1", sequence=1)
    bad.update(body={"reservation": ["no code"], "fan": {}, "payment": 7})

    services.deliver_messages(now=bought.now)

    assert states() == ["delivered", "waiting", "delivered", "delivered", "waiting", "delivered"]
    assert len(mailoutbox) == 4


def test_what_the_server_says_of_a_person_is_not_logged(bought, server, caplog):
    add_messages(bought, 1)
    server.refusal = f"550 no {bought.fan.email}"

    with caplog.at_level(logging.INFO):
        services.deliver_messages(now=bought.now)

    assert "could not be delivered: SMTPRecipientsRefused" in caplog.text
    assert bought.fan.email not in caplog.text
    assert bought.fan.email in OutboxMessage.objects.get().error


# -- the mail server ------------------------------------------------------------------------------


def test_many_mails_share_one_connection(bought, server):
    add_messages(bought, 25)

    services.deliver_messages(now=bought.now)

    assert (len(server.mails), server.connections) == (25, 1)


def test_a_server_that_ends_connections_gets_each_mail_once(bought, server):
    add_messages(bought, 5)
    server.mails_per_connection = 2

    services.deliver_messages(now=bought.now)

    assert (len(server.mails), server.connections) == (5, 3)
    assert set(states()) == {"delivered"}
    assert attempts() == {1}


def test_a_refused_mail_does_not_stop_the_next(bought, server):
    add_messages(bought, 3)
    server.refusals = ["550 no such person"]

    services.deliver_messages(now=bought.now)

    assert states() == ["waiting", "delivered", "delivered"]


def test_a_server_that_is_away_costs_time_and_no_attempt(bought, server, settings):
    add_messages(bought, 25)
    port, settings.EMAIL_PORT = settings.EMAIL_PORT, 1

    for hour in range(outbox_delivery.ATTEMPTS + 1):
        services.deliver_messages(now=bought.now + timedelta(hours=hour))
    assert set(states()) == {"waiting"}
    assert attempts() == {0}

    settings.EMAIL_PORT = port
    services.deliver_messages(now=bought.now + timedelta(days=1))
    assert set(states()) == {"delivered"}


# -- leases ---------------------------------------------------------------------------------------


def test_a_slow_server_does_not_make_a_batch_outlive_its_lease(bought, monkeypatch):
    """What is not begun in time goes back, without an attempt, and is claimed again."""
    add_messages(bought, 3)
    passed, sent, claims = {"s": 0.0}, [], []
    monkeypatch.setattr(clock, "monotonic", lambda: passed["s"])
    real = locks.claim_outbox_messages
    monkeypatch.setattr(
        locks, "claim_outbox_messages", lambda **how: claims.append(real(**how)) or claims[-1]
    )

    def slow(message, *_):
        passed["s"] += LEASE.total_seconds() * 0.6
        sent.append(message.pk)

    monkeypatch.setattr(mails, "send_about", slow)

    services.deliver_messages(now=bought.now)

    assert [len(batch) for batch in claims] == [3, 2, 1, 0]
    assert len(sent) == len(set(sent)) == 3
    assert (set(states()), attempts()) == ({"delivered"}, {1})


def test_who_lost_the_lease_leaves_the_message_to_the_next(bought, monkeypatch):
    """Otherwise a third worker could claim what the second is sending."""
    add_messages(bought, 1)
    later = bought.now + LEASE + timedelta(seconds=5)

    def fails_late(message, *_):
        (taken,) = locks.claim_outbox_messages(now=later, lease=later + LEASE, limit=5)
        assert taken.pk == message.pk
        raise OSError("too late")

    monkeypatch.setattr(mails, "send_about", fails_late)

    services.deliver_messages(now=bought.now)

    message = OutboxMessage.objects.get()
    assert (message.due_at, message.error) == (later + LEASE, "")


def test_what_was_sent_is_marked_when_the_worker_is_stopped(bought, monkeypatch):
    add_messages(bought, 3)
    sent = []

    def stopped(message, *_):
        if sent:
            raise SystemExit
        sent.append(message.pk)

    monkeypatch.setattr(mails, "send_about", stopped)

    with pytest.raises(SystemExit):
        services.deliver_messages(now=bought.now)

    assert states() == ["delivered", "waiting", "waiting"]


def test_many_workers_claim_different_messages(bought):
    add_messages(bought, 12)
    claim = {"now": bought.now, "lease": bought.now + LEASE, "limit": 3}

    claimed = together(4, lambda _: locks.claim_outbox_messages(**claim))

    taken = [message.pk for batch in claimed for message in batch]
    assert len(taken) == len(set(taken)) == 12

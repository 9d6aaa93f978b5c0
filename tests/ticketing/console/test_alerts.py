"""Alerts on the admin's start page."""

import shutil
from collections import namedtuple
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from payments import keys as payment_keys
from payments.models import OutboxMessage, Payment
from reservations.models import Reservation
from ticketing.console import services, store
from ticketing.console.models import Reconciliation
from ticketing.core import redis
from waiting_queue import services as queues

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def calm(now, monkeypatch):
    """Every process sends heartbeats; disk and Redis have room."""
    for kind in ("web", "worker", "payer", "mailer", "ticker", "beat"):
        store.record_heartbeat(f"{kind} host 1", now)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100, 20, 80))
    monkeypatch.setattr(store, "memory", lambda: store.Memory(1, 100))


def texts(user, now):
    with translation.override("en"):
        return [alert.text for alert in services.alerts_for(user, now=now)]


@pytest.fixture
def payment(event, fan, now):
    reservation = Reservation.objects.create(
        event=event,
        fan=fan,
        created_at=now,
        deadline=now + timedelta(minutes=5),
        total=1,
        currency="KRW",
        state="paying",
    )
    return Payment.objects.create(
        reservation=reservation,
        fan=fan,
        payment_key=uuid4(),
        amount=1,
        currency="KRW",
        state="charging",
        created_at=now,
        due_at=now - timedelta(minutes=10),
    )


def test_without_problems_there_are_no_alerts(calm, sale, operator, now):
    assert texts(operator, now) == []


def test_a_stuck_payment(calm, payment, operator, now):
    assert texts(operator, now) == ["1 payment is stuck."]
    payment.due_at = now
    payment.save()

    assert texts(operator, now) == []


def test_payments_that_wait_for_the_gateway_are_not_stuck(calm, payment, operator, now):
    opened = {"opened": int(1000 * now.timestamp()), "probing": 0}
    redis.client().hset(payment_keys.breaker("portone"), mapping=opened)

    (only,) = texts(operator, now)

    assert "stuck" not in only


def test_an_undelivered_message(calm, operator, now):
    OutboxMessage.objects.create(
        aggregate="x", sequence=1, kind="mail", body={}, state="dead", created_at=now, due_at=now
    )

    assert texts(operator, now) == ["1 message could not be delivered."]


def test_a_reconciliation_with_differences(calm, operator, now):
    Reconciliation.objects.create(day=now.date(), at=now, differences=[["pay-1", "differs"]])
    Reconciliation.objects.create(day=now.date() - timedelta(days=1), at=now, differences=[])

    (alert,) = services.alerts_for(operator, now=now)

    client = Client()
    client.force_login(operator)
    assert "1 difference between" in alert.text
    page = client.get(alert.link).content.decode()
    assert ">pay-1</th>" in page
    assert ">differs</td>" in page


def test_missed_ticks(calm, sale, operator, now):
    assert "ticks are missed" in texts(operator, now + timedelta(seconds=9))[0]


def test_a_nearly_full_disk_and_redis(calm, operator, monkeypatch, now):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100 * 2**30, 95 * 2**30, 5 * 2**30))
    monkeypatch.setattr(store, "memory", lambda: store.Memory(90, 100))

    assert texts(operator, now) == [
        "The disk is nearly full: 5.0 GB are left.",
        "Redis has used 90 % of its memory.",
    ]


def test_redis_reports_its_memory():
    memory = store.memory()

    assert 0 < memory.used < memory.limit


def test_processes_without_heartbeats(calm, operator, now):
    assert texts(operator, now + timedelta(seconds=20)) == [
        "No sign of life from: web, worker, payer, mailer, ticker, beat."
    ]


def test_an_open_appeal(calm, sale, fan, operator, now):
    queues.block(event_id=sale.pk, person=str(fan.pk), by=operator, why="bot", now=now)
    queues.submit_appeal(event_id=sale.pk, person=str(fan.pk), message="No.", now=now)

    assert "wait for an answer" in texts(operator, now)[0]


def test_everyone_sees_only_what_their_role_allows(calm, payment, person_of, now):
    counts = {role: len(texts(person_of(role), now)) for role in ("viewer", "finance", "door")}

    assert counts == {"viewer": 0, "finance": 1, "door": 0}


def test_the_start_page_shows_alerts_with_links(calm, payment, operator):
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)

    page = client.get("/admin/").content.decode()

    assert "1 payment is stuck." in page
    assert reverse("admin:payments_payment_changelist") in page

"""The admin's start page says what needs attention."""

import shutil
from collections import namedtuple
from datetime import timedelta
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import translation

from payments.models import OutboxMessage, Payment
from reservations.models import Reservation
from ticketing.console import services, store
from ticketing.console.models import Reconciliation
from waiting_queue import services as queues

pytestmark = pytest.mark.django_db
Usage = namedtuple("Usage", "total used free")


@pytest.fixture
def calm(now, monkeypatch):
    """Every process lives, and there is room."""
    for kind in ("web", "worker", "payer", "ticker", "beat"):
        store.beat(f"{kind} host 1", now)
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100, 20, 80))
    monkeypatch.setattr(store, "memory", lambda: store.Memory(1, 100))


def words(user, now):
    with translation.override("en"):
        return [trouble.words for trouble in services.attention_for(user, now=now)]


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


def test_when_all_is_well_it_says_so(calm, sale, operator, now):
    assert words(operator, now) == []


def test_a_stuck_payment(calm, payment, operator, now):
    assert words(operator, now) == ["1 payments are stuck."]
    payment.due_at = now
    payment.save()

    assert words(operator, now) == []


def test_a_dead_letter(calm, operator, now):
    OutboxMessage.objects.create(
        aggregate="x", sequence=1, kind="mail", body={}, state="dead", created_at=now, due_at=now
    )

    assert words(operator, now) == ["1 messages could not be delivered."]


def test_books_that_differ(calm, operator, now):
    Reconciliation.objects.create(day=now.date(), at=now, differences=[["pay-1", "differs"]])
    Reconciliation.objects.create(day=now.date() - timedelta(days=1), at=now, differences=[])

    (trouble,) = services.attention_for(operator, now=now)

    client = Client()
    client.force_login(operator)
    assert "1 differences" in trouble.words
    assert b"pay-1: differs" in client.get(trouble.link).content


def test_ticks_that_are_missed(calm, sale, operator, now):
    assert "ticks are missed" in words(operator, now + timedelta(seconds=9))[0]


def test_a_disk_and_a_redis_that_run_full(calm, operator, monkeypatch, now):
    monkeypatch.setattr(shutil, "disk_usage", lambda _: Usage(100 * 2**30, 95 * 2**30, 5 * 2**30))
    monkeypatch.setattr(store, "memory", lambda: store.Memory(90, 100))

    assert words(operator, now) == [
        "The disk is nearly full: 5.0 GB are left.",
        "Redis has used 90 % of its memory.",
    ]


def test_the_real_redis_says_how_much_it_uses():
    memory = store.memory()

    assert 0 < memory.used < memory.limit


def test_a_process_that_fell_silent(calm, operator, now):
    assert words(operator, now + timedelta(seconds=20)) == [
        "No sign of life from: web, worker, payer, ticker, beat."
    ]


def test_an_appeal_that_waits(calm, sale, fan, operator, now):
    queues.block(event_id=sale.pk, person=str(fan.pk), by=operator, why="bot", now=now)
    queues.submit_appeal(event_id=sale.pk, person=str(fan.pk), message="No.", now=now)

    assert "wait for an answer" in words(operator, now)[0]


def test_everybody_is_told_only_what_they_may_see(calm, payment, person_of, now):
    told = {role: len(words(person_of(role), now)) for role in ("viewer", "finance", "door")}

    assert told == {"viewer": 0, "finance": 1, "door": 0}


def test_the_start_page_shows_it_with_links(calm, payment, operator):
    client = Client(headers={"accept-language": "en"})
    client.force_login(operator)

    page = client.get("/admin/").content.decode()

    assert "1 payments are stuck." in page
    assert reverse("admin:payments_payment_changelist") in page

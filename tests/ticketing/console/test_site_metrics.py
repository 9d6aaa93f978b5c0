"""What the workers tell of the whole site, under the names of its families."""

from datetime import timedelta
from uuid import uuid4

import pytest
from django.db import DatabaseError
from redis.exceptions import RedisError

from payments.models import OutboxMessage, Payment
from reservations.models import Reservation
from ticketing.celery import app
from ticketing.console import services, store
from ticketing.console.services import site_metrics
from ticketing.console.services.site_metrics import FAMILIES, SiteMetrics, site_rows
from ticketing.events.selectors import new_rehearsal_id
from waiting_queue import services as queues

pytestmark = pytest.mark.django_db


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
        created_at=now - timedelta(days=2),
        due_at=now - timedelta(minutes=10),
    )


def rows(now):
    return {(name, *labels): value for name, labels, value in site_rows(now=now)}


def test_every_figure_has_a_family_and_all_labels(sale, payment, now):
    services.sample_sales(now=now)
    found = list(site_rows(now=now))

    assert {name for name, _, _ in found} | {"site_read_age_seconds"} == set(FAMILIES)
    assert all(len(labels) == len(FAMILIES[name][1]) for name, labels, _ in found)


def test_lines_and_seats_of_a_running_sale(sale, now):
    services.sample_sales(now=now)
    event = str(sale.pk)

    found = rows(now + timedelta(seconds=7))

    assert found["site_queue_people", event, "waiting"] == 5
    assert found["site_queue_tick_age_seconds", event] == pytest.approx(7, abs=0.1)
    assert found["site_journal_entries", event] == 5
    assert found["site_seats", event, "free"] > 0
    assert found["site_journal_age_seconds", event] >= 0
    queues.drain_journals()
    assert rows(now)["site_journal_entries", event] == 0


def test_money(payment, now):
    found = rows(now)

    assert found["site_payments", "charging"] == 1  # old, but under way
    assert found["site_payment_overdue_seconds",] == 600
    assert found["site_payment_oldest_seconds",] == 2 * 86_400
    assert found["site_reservations", "paying"] == 1
    assert found["site_gateway_breaker", "closed"] == 1


def test_a_rehearsals_payment_is_not_told(payment, now, monkeypatch):
    monkeypatch.setattr("ticketing.events.selectors.rehearsals.FIRST_REHEARSAL_ID", 0)

    assert rows(now)["site_payments", "charging"] == 0
    assert new_rehearsal_id() > 0


def test_the_outbox_and_the_queues_of_the_workers(now):
    for state in ("waiting", "dead"):
        OutboxMessage.objects.create(
            aggregate=state,
            sequence=1,
            kind="mail",
            body={},
            state=state,
            created_at=now,
            due_at=now - timedelta(seconds=50),
        )
    app.send_task("tests.unknown", queue="mail")

    found = rows(now)

    assert (found["site_outbox", "waiting"], found["site_outbox", "dead"]) == (1, 1)
    assert found["site_outbox_overdue_seconds",] == 50
    assert found["site_task_queue", "mail"] >= 1


def test_processes_that_are_missing_are_told_as_none(now):
    store.record_heartbeat("web host 1", now)
    store.record_heartbeat("web host 2", now)

    found = rows(now)

    assert (found["site_processes", "web"], found["site_processes", "beat"]) == (2, 0)


@pytest.mark.parametrize("error", [RedisError("away"), DatabaseError("away"), KeyError("a bug")])
def test_what_can_not_be_read_costs_its_part_only(now, monkeypatch, error):
    def fail(_):
        raise error

    monkeypatch.setitem(site_metrics.PARTS, "redis", fail)

    found = rows(now)

    assert found["site_part_readable", "redis"] == 0
    assert found["site_part_readable", "database"] == 1
    assert ("site_redis_seconds",) not in found


@pytest.mark.django_db(transaction=True)
def test_readers_of_one_moment_share_one_look():
    metrics = SiteMetrics()

    first = {family.name: family.samples for family in metrics.collect()}
    read_at = metrics._read_at
    second = {family.name: family.samples for family in metrics.collect()}

    assert metrics._read_at == read_at
    assert first["site_processes"] == second["site_processes"] != []
    assert set(first) == {family.name for family in metrics.describe()}


def test_no_more_than_a_few_sales_are_told(sale, now, monkeypatch):
    monkeypatch.setattr(site_metrics, "MAX_EVENTS", 0)

    labels = [labels for name, labels, _ in site_rows(now=now) if "event" in FAMILIES[name][1]]

    assert labels == []

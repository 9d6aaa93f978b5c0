"""The nightly purge: what is too old goes, in batches, and the counts are reported."""

import logging
from datetime import timedelta
from io import StringIO

import pytest
from django.core.management import call_command

from payments.models import OutboxMessage, WebhookReceipt
from reservations import services as reservations
from reservations.models import HoldRequest, Reservation, Ticket
from tests.making import make_user
from tests.ticketing.privacy.test_deletions import buy, delete, is_over
from ticketing.accounts.models import PurgeRun, SecurityEvent, User
from ticketing.celery import app
from ticketing.privacy import retention, services, tasks
from ticketing.privacy.services import purges
from waiting_queue.models import PlaceSignals, QueueJournal

pytestmark = pytest.mark.django_db


def webhook(n, at):
    WebhookReceipt.objects.create(
        webhook_id=str(n), kind="paid", received_at=at, sent_at=at, body={"a": 1}
    )


def message(n, at, state="delivered"):
    OutboxMessage.objects.create(
        aggregate=f"test:{n}",
        sequence=1,
        kind="test",
        body={},
        state=state,
        created_at=at,
        due_at=at,
        delivered_at=at if state == "delivered" else None,
    )


def test_each_kind_is_kept_as_long_as_its_setting_says(event, ann, now, settings):
    settings.RETENTION_WEBHOOKS = settings.RETENTION_OUTBOX = settings.RETENTION_REQUESTS = 30
    settings.RETENTION_SECURITY_LOG = settings.RETENTION_SIGNALS = 30
    SecurityEvent.objects.all().delete()
    for n, days in enumerate((29, 31)):
        at = now - timedelta(days=days)
        webhook(n, at)
        message(n, at)
        HoldRequest.objects.create(
            event=event, fan=ann, seats=[], created_at=at, finished_at=at, state="failed"
        )
        SecurityEvent.objects.create(at=at, user=ann, kind="logged_in")
        PlaceSignals.objects.create(event=event, person=ann.pk, at=at, entry=f"1-{n}")
    message(9, now - timedelta(days=400), state="waiting")

    run = services.purge(now=now)

    kinds = ("webhooks", "outbox", "requests", "security_log", "signals")
    assert {kind: run.counts[kind] for kind in kinds} == dict.fromkeys(kinds, 1)
    assert OutboxMessage.objects.filter(state="waiting").exists()
    for model in (WebhookReceipt, HoldRequest, SecurityEvent, PlaceSignals):
        assert model.objects.count() == 1
    assert services.purge(now=now).counts["webhooks"] == 0


def test_the_journal_is_kept_from_the_event_on(event, ann, now, settings):
    settings.RETENTION_JOURNAL = 10
    QueueJournal.objects.create(
        event=event, entry="1-1", at=now - timedelta(days=99), person=ann.pk, kind="join", number=1
    )
    assert services.purge(now=now).counts["journal"] == 0

    is_over(event, now, days=11)

    assert services.purge(now=now).counts["journal"] == 1


def test_batches_are_bounded_and_the_rest_follows(now, monkeypatch):
    monkeypatch.setattr(retention, "BATCH", 2)
    monkeypatch.setattr(purges, "MAX_BATCHES", 2)
    for n in range(5):
        webhook(n, now - timedelta(days=1000))

    assert [services.purge(now=now).counts["webhooks"] for _ in range(3)] == [4, 1, 0]


def test_a_kind_that_fails_keeps_no_other_from_being_purged(now, monkeypatch, caplog):
    def fails(now):
        raise ValueError("somebody@example.com")

    broken = retention.Rule("journal", fails)
    monkeypatch.setattr(purges, "RULES", (broken, *retention.RULES[1:]))
    webhook(1, now - timedelta(days=1000))

    run = services.purge(now=now)

    assert run.error == "journal: ValueError"
    assert run.counts["webhooks"] == 1


def test_orders_of_deleted_people_are_anonymous_after_five_years(event, ann, ben, now):
    code = buy(event, ann, now)
    buy(event, ben, now, first=4)
    is_over(event, now)
    delete(ann, now)
    delete(ben, now)
    assert services.purge(now=now + timedelta(days=4 * 365)).counts["deleted_people"] == 0

    run = services.purge(now=now + timedelta(days=5 * 365 + 1))

    assert run.counts["deleted_people"] == 2
    assert not User.objects.filter(pk__in=[ann.pk, ben.pk]).exists()
    owner = Reservation.objects.get(code=code).fan
    assert set(Ticket.objects.values_list("holder", flat=True)) == {owner.pk}
    assert not owner.is_active
    assert services.purge(now=now + timedelta(days=6 * 365)).counts["deleted_people"] == 0


def test_a_name_on_a_given_ticket_is_erased_after_the_event_though_its_holder_has_no_order(
    event, ann, ben, now
):
    code = buy(event, ann, now)
    given = Ticket.objects.filter(reservation__code=code).first()
    offer = reservations.offer_ticket(code=given.code, fan_id=ann.pk, email=ben.email, now=now)
    ticket = reservations.accept_offer(code=offer.code, fan_id=ben.pk, now=now)
    delete(ben, now)
    services.purge(now=now)
    ticket.refresh_from_db()
    assert ticket.name == "Ben"  # the door may ask for it

    is_over(event, now)
    run = services.purge(now=now)

    ticket.refresh_from_db()
    assert ticket.name == "—"
    assert (run.error, run.counts["deleted_people"]) == ("", 1)
    assert not User.objects.filter(pk=ben.pk).exists()


def test_people_who_are_still_there_keep_everything(event, ann, now):
    buy(event, ann, now)

    services.purge(now=now + timedelta(days=20 * 365))

    assert User.objects.filter(pk=ann.pk).exists()
    assert Reservation.objects.get().fan_id == ann.pk


def test_operators_see_the_counts(now, operator, client, caplog):
    webhook(1, now - timedelta(days=1000))
    with caplog.at_level(logging.INFO):
        tasks.purge()

    client.force_login(operator)
    assert "webhooks" in client.get("/admin/accounts/purgerun/").content.decode()
    assert "'webhooks': 1" in caplog.text
    assert PurgeRun.objects.get().ended_at is not None


def test_the_command_counts_and_purges(now):
    webhook(1, now - timedelta(days=1000))
    out = StringIO()
    call_command("purge", dry_run=True, stdout=out)
    assert WebhookReceipt.objects.exists()

    call_command("purge", stdout=out)

    assert out.getvalue().count("webhooks                    1") == 2
    assert not WebhookReceipt.objects.exists()


def test_it_runs_every_night():
    entry = app.conf.beat_schedule["purge-old-data"]

    assert entry["task"] == tasks.purge.name
    assert entry["options"]["expires"] <= 24 * 3600


def test_a_person_without_orders_of_that_time_is_not_kept_longer(event, now):
    fan = make_user()
    buy(event, fan, now)
    is_over(event, now)
    delete(fan, now)
    Reservation.objects.update(created_at=now - timedelta(days=6 * 365))

    assert services.purge(now=now).counts["deleted_people"] == 1

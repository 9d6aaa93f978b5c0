"""The secrets of draws lie encrypted in the database, and outlive a change of keys."""

from importlib import import_module

import pytest
from django.apps import apps
from django.core.management import CommandError, call_command
from django.db import connection

from tests.waiting_queue.commands.calling import run
from waiting_queue import selectors
from waiting_queue.errors import DrawSecretsUnreadable
from waiting_queue.models import DrawSecrets, QueueDraw, SaleQueue, new_draw_secrets

pytestmark = pytest.mark.django_db
migration = import_module("waiting_queue.migrations.0006_secrets_of_draws")


@pytest.fixture(autouse=True)
def keys(settings):
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "first", []
    settings.DRAW_KEY, settings.DRAW_KEY_FALLBACKS = "", []


def stored_row() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SELECT row_to_json(queue_salequeue)::text FROM queue_salequeue")
        return cursor.fetchone()[0]


def test_the_database_has_neither_secret_nor_salt(queue):
    secrets = queue.open_draw_secrets()

    assert len(secrets.secret) == len(secrets.salt) == 64
    assert secrets.secret not in stored_row()
    assert secrets.salt not in stored_row()
    assert queue.secret_sha256 == selectors.text_hash(secrets.secret)


def test_the_control_finds_a_plain_secret(queue):
    SaleQueue.objects.update(seed="a" * 64)

    assert "a" * 64 in stored_row()


def test_without_the_key_nobody_can_read_them(queue, settings):
    settings.SECRET_KEY = "another"

    with pytest.raises(DrawSecretsUnreadable):
        queue.open_draw_secrets()
    warnings = selectors.queue_warnings(queue, selectors.Overview())
    assert any("DRAW_KEY" in warning for warning in warnings)


def test_a_secret_of_another_queue_is_not_taken_for_the_one_committed_to(queue):
    _promised, _, sealed = new_draw_secrets().partition(":")
    queue.draw_secrets = f"{queue.secret_sha256}:{sealed}"

    with pytest.raises(DrawSecretsUnreadable):
        queue.open_draw_secrets()


@pytest.mark.parametrize(
    "rotated",
    [
        {"SECRET_KEY": "second", "SECRET_KEY_FALLBACKS": ["first"]},
        {"DRAW_KEY": "own"},
        {"DRAW_KEY": "own", "DRAW_KEY_FALLBACKS": ["first"], "SECRET_KEY": "second"},
        {"DRAW_KEY_FALLBACKS": ["first"], "SECRET_KEY": "second"},
    ],
)
def test_keys_can_be_rotated(rotated, queue, settings):
    before = queue.open_draw_secrets()
    for name, value in rotated.items():
        setattr(settings, name, value)
    assert SaleQueue.objects.get().open_draw_secrets() == before

    out, _ = run("queue_renew_keys")
    settings.SECRET_KEY_FALLBACKS, settings.DRAW_KEY_FALLBACKS = [], []
    if settings.DRAW_KEY:
        settings.SECRET_KEY = "of no use for draws"

    assert "1 queues" in out
    assert SaleQueue.objects.get().open_draw_secrets() == before
    assert SaleQueue.objects.get().secret_sha256 == queue.secret_sha256


def test_a_secret_that_no_key_opens_is_named_and_left_as_it_is(queue, settings):
    settings.SECRET_KEY = "another"

    with pytest.raises(CommandError, match=str(queue.pk)):
        run("queue_renew_keys")
    assert SaleQueue.objects.get().draw_secrets == queue.draw_secrets


def test_plain_secrets_of_the_previous_release_are_encrypted(queue):
    SaleQueue.objects.update(draw_secrets="", seed="a" * 64, salt="b" * 64)

    run("queue_renew_keys")

    assert SaleQueue.objects.get().open_draw_secrets() == DrawSecrets("a" * 64, "b" * 64)
    assert "a" * 64 not in stored_row()


# -- the migration --------------------------------------------------------------------------------


def test_the_migration_encrypts_and_keeps_the_promise(queue):
    SaleQueue.objects.update(draw_secrets="", seed="a" * 64, salt="b" * 64)

    migration.encrypt_secrets(apps, None)
    migration.encrypt_secrets(apps, None)  # again: nothing is left to do

    after = SaleQueue.objects.get()
    assert after.secret_sha256 == selectors.text_hash("a" * 64)
    assert after.open_draw_secrets() == DrawSecrets("a" * 64, "b" * 64)
    assert "a" * 64 not in stored_row()
    assert "b" * 64 not in stored_row()


@pytest.mark.parametrize(("people", "seed"), [(None, ""), (["1"], "a" * 64)])
def test_a_draw_under_way_keeps_the_rule_it_began_with(people, seed, queue, now):
    SaleQueue.objects.update(draw_secrets="", seed="a" * 64, salt="b" * 64)
    QueueDraw.objects.create(queue=queue, at=now, seed="a" * 64, people=people)

    migration.encrypt_secrets(apps, None)

    assert QueueDraw.objects.get().seed == seed


def test_the_migration_can_be_undone(queue, now):
    secrets = queue.open_draw_secrets()
    QueueDraw.objects.create(queue=queue, at=now)

    migration.decrypt_secrets(apps, None)

    after = SaleQueue.objects.get()
    assert (after.seed, after.salt, after.draw_secrets) == (secrets.secret, secrets.salt, "")
    assert QueueDraw.objects.get().seed == secrets.secret


@pytest.mark.django_db(transaction=True)
def test_back_and_forth_with_rows_in_the_tables(queue, now):
    """As operators run it: columns, data and constraint in one transaction."""
    secrets = queue.open_draw_secrets()
    QueueDraw.objects.create(queue=queue, at=now)

    try:
        call_command("migrate", "queue", "0005", verbosity=0)
        assert secrets.secret in stored_row()
    finally:
        call_command("migrate", "queue", verbosity=0)

    assert SaleQueue.objects.get().open_draw_secrets() == secrets
    assert secrets.secret not in stored_row()
    assert QueueDraw.objects.get().seed == ""

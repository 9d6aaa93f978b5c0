"""A backup restores an empty installation: rows, uploads, the line and the money."""

import json
import sys
from datetime import timedelta
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.db import connection
from django.utils.timezone import localtime

from payments.services import Difference
from ticketing.development.embedded import process
from ticketing.development.embedded.errors import CannotRun
from ticketing.events.models import Event
from ticketing.operations import postgres_programs, services
from ticketing.operations.backup_files import DATABASE, DESCRIPTION, KEYS, Description
from ticketing.operations.services import restores

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def backup(sale, media, tmp_path, now) -> Path:
    return services.create_backup(folder=tmp_path / "backups", now=now)


def test_an_empty_installation_becomes_what_was_backed_up(backup, sale, empty_site, tmp_path):
    command = [sys.executable, "manage.py", "restore", backup, "--clear-redis"]
    code, output = process.run(command, env=empty_site)

    assert code == 0, output
    assert f"Queue {sale.pk}: rebuilt, 3 people are known." in output
    assert "agree on all payments" in output
    with psycopg.connect(empty_site["DATABASE_URL"]) as restored:
        events = restored.execute("SELECT title_en FROM ticketing_event").fetchall()
        journal = restored.execute("SELECT count(*) FROM queue_queuejournal").fetchone()
    assert events == list(Event.objects.values_list("title_en"))
    assert journal == (3,)
    poster = tmp_path / "restored" / "media" / "posters" / "moon.webp"
    assert poster.read_bytes() == b"a picture"


def test_every_day_since_the_backup_is_reconciled(monkeypatch, now):
    asked: list[Any] = []
    found = Difference("ORD1", "unheard_of", {"theirs": 1, "currency": "KRW"})
    monkeypatch.setattr(
        "payments.services.reconcile",
        lambda *, day, now, mend: asked.append((day, mend)) or [found] * (len(asked) == 2),
    )
    monkeypatch.setattr("payments.services.reconcile_earlier", lambda **when: [])

    differences = list(restores._reconcile(now - timedelta(days=2), now))

    today = localtime(now).date()
    assert asked == [(today - timedelta(days=ago), True) for ago in (2, 1, 0)]
    assert differences == [(today - timedelta(days=1), found)]


def test_a_database_that_is_not_empty_is_refused(backup, now):
    with pytest.raises(CannotRun, match="tables already"):
        services.restore_backup(folder=backup, clear_redis=False, now=now)


def test_a_redis_that_knows_more_is_refused(sale, monkeypatch):
    """Its line would have people and seats that the database does not."""
    monkeypatch.setattr(connection.introspection, "table_names", list)

    with pytest.raises(CannotRun, match="Redis is not empty"):
        restores._require_empty_installation(clear_redis=False)
    restores._require_empty_installation(clear_redis=True)


def test_a_backup_names_its_keys_and_keeps_none(backup, settings):
    description = (backup / DESCRIPTION).read_text()

    assert set(json.loads(description)["keys"]) == {*KEYS}
    assert settings.SECRET_KEY not in description
    assert Description.read(backup).changed_keys() == {}
    settings.DRAW_KEY, settings.SECRET_KEY = settings.SECRET_KEY, "another"
    changed = ["SECRET_KEY", "TICKET_KEY", "IDENTITY_KEY"]
    assert list(Description.read(backup).changed_keys()) == changed
    assert backup.stat().st_mode & 0o077 == 0


def test_a_damaged_backup_is_refused(backup):
    with (backup / DATABASE).open("r+b") as file:
        file.seek(100)
        file.write(b"x")

    with pytest.raises(CannotRun, match=DATABASE):
        Description.read(backup).require_intact(backup)


def test_a_backup_of_a_newer_release_is_refused(backup):
    file = backup / DESCRIPTION
    described = json.loads(file.read_text())
    described["migrations"]["payments"] = "0999_later"
    file.write_text(json.dumps(described))

    with pytest.raises(CannotRun, match="newer release"):
        Description.read(backup).require_known_migrations()


def test_old_backups_and_aborted_ones_are_deleted(tmp_path):
    for name in ("20260101-000000", "20260102-000000", "20260103-000000.draft"):
        (tmp_path / f"ticketing-{name}").mkdir()

    services.delete_old_backups(folder=tmp_path, keep=1)

    assert [path.name for path in tmp_path.iterdir() if path.name.startswith("ticketing-")] == [
        "ticketing-20260102-000000"
    ]


def test_a_program_older_than_the_server_is_passed_over():
    found = postgres_programs.find_program("pg_dump", major=postgres_programs.server_version())

    assert postgres_programs._major_version(found) >= postgres_programs.server_version()
    with pytest.raises(CannotRun, match="must be as new"):
        postgres_programs.find_program("pg_dump", major=99)


def test_a_program_that_fails_says_why():
    with pytest.raises(CannotRun, match="pg_restore failed"):
        postgres_programs.run_program("pg_restore", Path("nowhere.dump"))

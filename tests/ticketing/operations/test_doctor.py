"""`manage.py doctor` finds what is wrong with an installation, and says what to do."""

import os
import resource
import socket
from datetime import timedelta
from io import StringIO
from types import SimpleNamespace
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder

from ticketing.console import store as console
from ticketing.core import clock, listen_queue
from ticketing.operations import store
from ticketing.operations.selectors import database, diagnose
from ticketing.processes import PRODUCTION

pytestmark = pytest.mark.django_db
SETTINGS = {
    "DEVELOPMENT": False,
    "PAYMENTS_SANDBOX": False,
    "SECRET_KEY": "k" * 64,
    "ALLOWED_HOSTS": ["tickets.example.com"],
    "SITE_URL": "https://tickets.example.com",
    "STAFF_TWO_FACTOR": "required",
    "PORTONE_API_SECRET": "secret",
    "PORTONE_WEBHOOK_SECRET": "whsec_c2VjcmV0",
    "PORTONE_STORE_ID": "store",
    "PORTONE_CHANNEL_KEY": "channel",
    "DEFAULT_FROM_EMAIL": "Tickets <tickets@example.com>",
    "EMAIL_BACKEND": "django.core.mail.backends.smtp.EmailBackend",
}
REDIS = {"redis_version": "7.2.4", "aof_enabled": 1, "maxmemory_policy": "noeviction"}


@pytest.fixture(autouse=True)
def sound(settings, monkeypatch, tmp_path, now) -> None:
    """An installation without any fault."""
    for name, value in SETTINGS.items():
        setattr(settings, name, value)
    answers = SimpleNamespace(open=lambda: True)
    monkeypatch.setattr(
        "ticketing.operations.selectors.configuration.get_connection", lambda **_: answers
    )
    set_somaxconn(monkeypatch, tmp_path, "65535")
    set_files(monkeypatch, 1_048_576)
    set_redis(monkeypatch)
    for process in PRODUCTION:
        console.record_heartbeat(f"{process.name} host 1", now)


def set_somaxconn(monkeypatch, folder, text) -> None:
    (folder / "somaxconn").write_text(text)
    monkeypatch.setattr(listen_queue, "SOMAXCONN", folder / "somaxconn")


def set_files(monkeypatch, count) -> None:
    monkeypatch.setattr(resource, "getrlimit", lambda _: (count, count))


def set_redis(monkeypatch, **changed) -> None:
    """The servers of the tests write no file on purpose."""
    info = REDIS | {"role": "master"} | changed
    monkeypatch.setattr(store, "facts", lambda: [("REDIS_URL", info)])


def found() -> dict[str, str]:
    """What is wrong, by the name of the check."""
    return {
        report.check: " ".join(finding.problem for finding in report.findings)
        for report in diagnose(now=clock.now())
        if report.findings
    }


def test_control_a_sound_installation_has_no_finding():
    assert found() == {}
    call_command("doctor", stdout=StringIO())


@pytest.mark.parametrize(
    ("name", "value", "check", "problem"),
    [
        ("DEBUG", True, "settings", "DEBUG is on"),
        ("PAYMENTS_SANDBOX", True, "settings", "without paying"),
        ("SECRET_KEY", "short", "settings", "fewer than 50"),
        ("SECRET_KEY", "change-me" * 8, "settings", "example"),
        ("ALLOWED_HOSTS", ["*"], "settings", "ALLOWED_HOSTS"),
        ("SITE_URL", "http://tickets.example.com", "settings", "Links in mails"),
        ("STAFF_TWO_FACTOR", "off", "settings", "password alone"),
        ("PORTONE_STORE_ID", "", "gateway keys", "PORTONE_STORE_ID is not set"),
        ("PORTONE_WEBHOOK_SECRET", "abc", "gateway keys", "every webhook will be refused"),
        ("EMAIL_BACKEND", "django.core.mail.backends.console.EmailBackend", "mail", "No mail"),
        ("DEFAULT_FROM_EMAIL", "tickets@localhost", "mail", "@localhost"),
    ],
)
def test_a_setting_of_a_sloppy_installation_is_found(settings, name, value, check, problem):
    setattr(settings, name, value)

    assert list(found()) == [check]
    assert problem in found()[check]


def test_a_silent_mail_server_is_found(monkeypatch, settings):
    def refuse() -> None:
        raise ConnectionRefusedError(111, "refused")

    monkeypatch.setattr(
        "ticketing.operations.selectors.configuration.get_connection",
        lambda **_: SimpleNamespace(open=refuse),
    )

    assert "can't be used" in found()["mail"]


def test_limits_of_the_machine_are_found(monkeypatch, tmp_path):
    set_somaxconn(monkeypatch, tmp_path, "4096")
    set_files(monkeypatch, 1024)

    assert "net.core.somaxconn is 4096" in found()["listen queue"]
    assert "may open 1024 files" in found()["open files"]


def test_the_limit_of_a_running_web_process_counts(now):
    """Not that of the shell in which the command runs, here a high one."""
    console.record_heartbeat(f"web {socket.gethostname()} {os.getpid()}", now)
    soft, hard = resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE)

    resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE, (1000, hard))
    try:
        assert "may open 1000 files" in found()["open files"]
    finally:
        resource.prlimit(os.getpid(), resource.RLIMIT_NOFILE, (soft, hard))


def test_a_system_that_does_not_say_is_not_judged(monkeypatch, tmp_path):
    set_somaxconn(monkeypatch, tmp_path, "?")

    assert found() == {}


def test_a_missing_migration_is_found():
    (newest,) = MigrationLoader(connection).graph.leaf_nodes("ticketing")
    MigrationRecorder(connection).record_unapplied(*newest)

    assert "1 migrations are not applied" in found()["migrations"]


def test_missing_static_files_are_found(settings, tmp_path):
    from django.contrib.staticfiles.storage import staticfiles_storage

    (tmp_path / "new.css").write_text("")
    settings.STATICFILES_DIRS = [*settings.STATICFILES_DIRS, tmp_path]
    reset_finders()

    assert "new.css" in found()["static files"]
    assert staticfiles_storage.hashed_files, "the others are collected"


@pytest.fixture(autouse=True)
def fresh_finders():
    reset_finders()
    yield
    reset_finders()


def reset_finders() -> None:
    from django.contrib.staticfiles import finders

    finders.get_finder.cache_clear()


def test_connections_beyond_the_limit_are_found(settings, now):
    settings.WEB_THREADS = 400

    needed = database.connections_needed(["web", "worker", "payer", "ticker", "beat"])
    assert needed == 400 + 2 * settings.FAST_PATH_THREADS + 2 + 4 + 8 + 1 + 1
    settings.WEB_THREADS = 10_000
    assert "connections; the database allows" in found()["database connections"]


@pytest.mark.parametrize(
    ("changed", "problem"),
    [
        ({"aof_enabled": 0}, "no append-only file"),
        ({"maxmemory_policy": "allkeys-lru"}, "drops keys"),
        ({"redis_version": "6.2.1"}, "too old"),
        ({"role": "slave"}, "is a replica"),
    ],
)
def test_a_redis_that_may_lose_data_is_found(monkeypatch, changed, problem):
    set_redis(monkeypatch, **changed)

    assert problem in found()["Redis"]


def test_the_real_servers_are_asked(monkeypatch):
    """Those of the tests keep nothing."""
    monkeypatch.undo()

    reports = {report.check: report.findings for report in diagnose(now=clock.now())}

    assert any("append-only" in finding.problem for finding in reports["Redis"])
    assert reports["Redis clock"] == reports["database clock"] == ()


@pytest.mark.parametrize("check", ["database clock", "Redis clock"])
def test_clocks_that_differ_are_found(monkeypatch, check):
    real = clock.now
    monkeypatch.setattr(clock, "now", lambda: real() - timedelta(seconds=5))

    assert "differs by +5.0 s" in found()[check]


def test_a_missing_beat_is_found_and_a_second_one_is_welcome(now):
    console.remove_process("beat host 1")
    assert found() == {"processes": "No beat is running."}

    for pid in (1, 2):
        console.record_heartbeat(f"beat host {pid}", now)
    assert "processes" not in found()


def test_a_silent_process_does_not_count(now):
    console.record_heartbeat("payer host 1", now - timedelta(seconds=20))

    assert found() == {"processes": "No payer is running."}


def test_a_check_that_fails_is_a_finding(monkeypatch):
    def fails() -> Any:
        raise ConnectionError("no Redis")

    monkeypatch.setattr(store, "clock_difference", fails)

    assert "could not be checked: ConnectionError: no Redis" in found()["Redis clock"]


def test_the_exit_code_and_the_advice(settings):
    settings.DEBUG, out = True, StringIO()

    with pytest.raises(CommandError, match="1 findings"):
        call_command("doctor", stdout=out, no_color=True)

    assert "✗ settings: DEBUG is on" in out.getvalue()
    assert "    Set DEBUG=0." in out.getvalue()
    assert "✓ migrations" in out.getvalue()

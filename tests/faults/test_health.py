"""The health checks tell the truth, quickly, and give nothing away."""

import threading
from collections.abc import Iterator

import pytest
from django.conf import settings
from django.db import connection
from django.db.migrations.loader import MigrationLoader
from django.db.migrations.recorder import MigrationRecorder
from django.test import Client

from ticketing.core import health

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def fresh_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(health, "_migrated", False)


@pytest.fixture
def one_migration_behind() -> Iterator[None]:
    recorder = MigrationRecorder(connection)
    (newest,) = MigrationLoader(connection).graph.leaf_nodes("ticketing")
    recorder.record_unapplied(*newest)
    yield
    recorder.record_applied(*newest)


def test_all_well(client: Client) -> None:
    answer = client.get("/readyz")

    assert answer.status_code == 200
    assert answer.json() == {
        "status": "ok",
        "checks": {"database": "ok", "redis": "ok", "migrations": "ok"},
    }


def test_a_process_that_runs_is_alive(client: Client) -> None:
    answer = client.get("/healthz")

    assert (answer.status_code, answer.json()["status"]) == (200, "ok")
    assert "no-store" in answer["Cache-Control"]


def test_an_unapplied_migration_is_not_ready(client: Client, one_migration_behind: None) -> None:
    answer = client.get("/readyz")

    assert answer.status_code == 503
    assert answer.json()["checks"]["migrations"] == "pending"


def test_once_migrated_the_files_are_not_read_again(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.get("/readyz")
    monkeypatch.setattr(health, "MigrationExecutor", None)

    assert client.get("/readyz").status_code == 200


def test_a_check_that_hangs_is_slow_and_holds_nobody_up(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    let_go = threading.Event()
    monkeypatch.setitem(health.CHECKS, "redis", lambda: "ok" if let_go.wait(60) else "down")
    monkeypatch.setattr(health, "TIMEOUT", 0.3)

    first, second = client.get("/readyz"), client.get("/readyz")
    let_go.set()

    assert first.json()["checks"]["redis"] == second.json()["checks"]["redis"] == "slow"
    assert first.status_code == 503


def test_the_reason_is_logged_but_not_told(
    client: Client, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken() -> str:
        raise RuntimeError(f"password={settings.SECRET_KEY}")

    monkeypatch.setitem(health.CHECKS, "database", broken)

    answer = client.get("/readyz")

    assert answer.json()["checks"]["database"] == "down"
    assert settings.SECRET_KEY not in answer.text
    assert "not ready: database" in caplog.text


@pytest.mark.parametrize("path", ["/healthz", "/readyz"])
def test_only_reading_is_allowed(client: Client, path: str) -> None:
    assert client.post(path).status_code == 405

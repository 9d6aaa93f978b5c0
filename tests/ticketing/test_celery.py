"""The schedule, and what a worker does around its tasks."""

import os
import subprocess
import sys
from types import SimpleNamespace

import pytest
from celery.fixups.django import DjangoWorkerFixup
from django.db import connection

from ticketing.celery import app, run_tasks, set_tick_interval

SENDER = SimpleNamespace(request=SimpleNamespace(is_eager=False))


def backend_pid() -> int:
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_backend_pid()")
        return int(cursor.fetchone()[0])


@pytest.fixture
def worker(transactional_db):
    """What Celery does before and after each task."""
    connection.ensure_connection()
    connection.close_at = None  # whatever CONN_MAX_AGE is in this run
    return DjangoWorkerFixup(app)


IN_A_WORKER = """
import sys
from django.core.checks import run_checks

print("broker", celery.conf.broker_url)
print("thresholds", sys.modules["gc"].get_threshold()[0])
print("admin", "payments.admin" in sys.modules)
problems = run_checks(tags=["admin"])
print("checked", "payments.admin" in sys.modules, len(problems))
"""


@pytest.fixture(scope="module")
def worker_shell():
    """What Celery's command prints about itself."""
    asked = {"BROKER_URL": "redis+sentinel://s1:1,s2:2/tickets/3", "CELERY_SKIP_CHECKS": "1"}
    ran = subprocess.run(
        [sys.executable, "-m", "celery", "-A", "ticketing", "shell", "--python"],
        input=IN_A_WORKER,
        env=os.environ | asked,
        capture_output=True,
        text=True,
    )
    return ran.stdout + ran.stderr


def test_the_command_uses_the_broker_as_the_settings_translate_it(worker_shell):
    """Celery's command reads a variable of the same name, and would take it as it is."""
    assert "sentinel://s1:1/3;sentinel://s2:2/3" in worker_shell


def test_a_worker_loads_no_page_of_the_admin_until_the_checks_look_at_all(worker_shell):
    assert "admin False" in worker_shell
    assert "checked True 0" in worker_shell


def test_little_time_goes_into_garbage_while_a_process_loads(worker_shell):
    assert "thresholds 50000" in worker_shell


def test_every_scheduled_task_exists():
    app.loader.import_default_modules()
    entries = app.conf.beat_schedule.values()
    names = {name for entry in entries for name in (entry["task"], *entry.get("args", ()))}

    assert names - set(app.tasks) == set()


def test_no_message_outlives_its_interval():
    late = {
        name: entry["options"]["expires"]
        for name, entry in app.conf.beat_schedule.items()
        if isinstance(entry["schedule"], float) and entry["options"]["expires"] > entry["schedule"]
    }

    assert late == {}


@pytest.mark.parametrize(("milliseconds", "seconds"), [(250, 0.25), (1_000, 1.0)])
def test_queues_tick_as_often_as_the_setting_says(settings, milliseconds, seconds):
    schedule = {name: dict(entry) for name, entry in app.conf.beat_schedule.items()}
    settings.TICK_MS = milliseconds

    set_tick_interval(SimpleNamespace(conf=SimpleNamespace(beat_schedule=schedule)))

    assert schedule["tick-queues"]["schedule"] == seconds
    assert schedule["tick-queues"]["options"] == {"expires": seconds}


def test_an_idle_site_sends_few_messages():
    """Each costs a few milliseconds in beat and in a worker, also if there is nothing to do."""
    schedules = (entry["schedule"] for entry in app.conf.beat_schedule.values())
    a_second = sum(1 / seconds for seconds in schedules if isinstance(seconds, float))

    assert a_second < 4


def test_a_failing_task_stops_no_other(db, monkeypatch, caplog):
    done = []
    for name, run in (("first", lambda: 1 / 0), ("second", lambda: done.append("second"))):
        monkeypatch.setitem(app.tasks, name, SimpleNamespace(run=run))

    run_tasks("first", "second")

    assert done == ["second"]
    assert "The scheduled task first failed." in caplog.text


def test_a_worker_keeps_its_connection_between_tasks(worker):
    before = backend_pid()

    worker.on_task_postrun(SENDER)
    worker.on_task_prerun(SENDER)

    assert backend_pid() == before


def test_control_celery_itself_closes_it(worker):
    before = backend_pid()

    worker._close_database()

    assert backend_pid() != before


def test_a_connection_that_was_lost_is_replaced_for_the_next_task(worker):
    """As after a restart of PostgreSQL."""
    connection.connection.close()
    connection.errors_occurred = True

    worker.on_task_prerun(SENDER)

    assert backend_pid()

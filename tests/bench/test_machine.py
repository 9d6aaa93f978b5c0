"""Processor time by kind of process, and the header of a report."""

import subprocess
import sys
import time

import pytest

from bench import machine

BURN = "import time\nend = time.process_time() + 0.3\nwhile time.process_time() < end: pass\n"
PARENT = f"""
import subprocess, sys
subprocess.run([sys.executable, "-c", {BURN!r}], check=True)
print("done", flush=True)
sys.stdin.read()
"""


@pytest.mark.parametrize(
    ("command", "kind"),
    [
        (["python", "manage.py", "serve", "--fd", "7"], "web"),
        (["python", "manage.py", "up"], "runner"),
        (["python", "-m", "celery", "-A", "ticketing", "worker", "--queues=celery"], "worker"),
        (["python", "-m", "celery", "worker", "--hostname=payer@%h"], "payer"),
        (["python", "-m", "celery", "-A", "ticketing", "beat", "--pidfile="], "beat"),
        (["/opt/pg/bin/postgres", "-D", "/data"], "PostgreSQL"),
        (["postgres: postgres ticketing [local] idle"], "PostgreSQL"),
        (["/opt/valkey-server unixsocket:/run/valkey.sock"], "Valkey"),
        (["nginx: worker process"], "nginx"),
        (["pgbouncer", "/etc/pgbouncer.ini"], "pooler"),
        (["python", "-m", "bench.outside", "1", "2"], "outside"),
        (["python", "-m", "bench.load"], "clients"),
        (["python", "manage.py", "sandbox"], "sandbox"),
        (["bash"], ""),
        ([], ""),
    ],
)
def test_a_command_line_tells_the_kind(command, kind):
    assert machine.kind_of(command) == kind


def test_children_that_have_ended_are_counted():
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT], stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    try:
        assert parent.stdout
        parent.stdout.readline()
        own = sum(map(int, machine._stat(parent.pid)[11:13])) / machine.TICKS_PER_SECOND

        assert machine.cpu_seconds(parent.pid) >= own + 0.28  # its own time alone would miss them
    finally:
        parent.communicate(b"")


def test_a_process_that_is_gone_counts_nothing():
    gone = subprocess.Popen([sys.executable, "-c", ""])
    gone.wait()

    assert machine.cpu_seconds(gone.pid) == 0


def test_background_processes_rest_while_they_are_paused():
    """Only those that are not on the way of a request; afterwards they go on."""
    beat = subprocess.Popen([sys.executable, "-c", BURN * 1000, "beat"])
    web = subprocess.Popen([sys.executable, "-c", BURN * 1000, "serve"])
    try:
        with machine.background_paused():
            wait_for_state(beat.pid, "T")
            assert machine._stat(web.pid)[0] != "T"
        wait_for_state(beat.pid, "RS")
    finally:
        for child in (beat, web):
            child.kill()
            child.wait()


def wait_for_state(pid: int, states: str) -> None:
    deadline = time.monotonic() + 10
    while machine._stat(pid)[0] not in states:
        assert time.monotonic() < deadline


def test_the_file_system_of_a_folder_is_named(tmp_path):
    mounts = open("/proc/mounts").read()

    assert f" {machine.filesystem(tmp_path)} " in mounts

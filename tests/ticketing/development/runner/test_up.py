"""`manage.py up`: it starts, restarts its children, and leaves nothing behind.

The tests run in this order on one site: those that look, those that kill a child, those that stop.
"""

import json
import os
import re
import signal
import socket
import subprocess
import sys
from pathlib import Path
from urllib.parse import urlsplit

import pytest
from websockets.sync.client import connect

from tests.ticketing.development.runner.prometheus import PROGRAM, prometheus
from tests.ticketing.development.runner.site import Site, wait_for
from ticketing.development.embedded.paths import addresses, server_paths


def test_it_answers_and_prints_addresses_and_log_ins(site: Site) -> None:
    output = site.output()

    assert (site.status("/healthz"), site.status("/readyz")) == (200, 200)
    assert "fan@example.com" in output
    assert "/dev/mails/" in output
    assert site.status("/dev/mails/") == 200
    assert "for development only" in output


def test_websockets_are_served_on_the_same_port(site: Site) -> None:
    address = site.output().split("Ready: http://")[1].split("/\n")[0]

    with connect(f"ws://{address}/ws/nowhere/", origin=f"http://{address}") as connection:
        frame = json.loads(connection.recv(timeout=60))

    assert (frame["type"], frame["code"]) == ("error", "not_found")


def test_the_payment_window_of_the_sandbox_is_on_the_same_port(site: Site) -> None:
    window = "/sandbox/portone/checkout/order-1?redirect=/&totalAmount=1000"

    wait_for(lambda: site.status(window) == 200, 60)
    assert site.status("/sandbox/portone/payments/order-1") == 401


KINDS = {"web", "worker", "payer", "mailer", "ticker", "beat"}


@pytest.mark.skipif(not PROGRAM, reason="Prometheus is not installed")
def test_prometheus_reads_every_process_and_evaluates_every_alert(
    site: Site, tmp_path: Path
) -> None:
    with prometheus(site.var, tmp_path) as reader:
        targets = dict.fromkeys(KINDS | {"sandbox"}, "up")
        wait_for(lambda: reader.targets() == targets, 60)
        wait_for(lambda: reader.query("max by (kind) (site_processes) == 1").keys() == KINDS, 60)
        wait_for(lambda: all(rule["health"] != "unknown" for rule in reader.rules()), 60)
        rules = reader.rules()
        ticks = reader.query("sum by (process) (queue_tick_seconds_count)")

    assert len(rules) > 20
    assert [(rule["name"], rule["lastError"]) for rule in rules if rule["health"] != "ok"] == []
    assert max(ticks.values()) > 0
    assert str(site.var / "metrics") in site.output()


def test_a_crowd_joins_the_demo_over_http(site: Site) -> None:
    address = site.output().split("Ready: ")[1].split()[0]
    environment = site.environment | {"PORT": str(urlsplit(address).port)}
    command = [sys.executable, "manage.py", "demo_crowd", "--fans", "6", "--minutes", "0.2"]

    ran = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=300)

    assert ran.returncode == 0, ran.stderr
    ends = ran.stdout.partition("Over: ")[2]
    assert sum(int(number) for number in re.findall(r"\d+", ends)) == 6, ran.stdout
    assert "refused" not in ends


def test_metrics_are_not_on_the_sites_own_port(site: Site) -> None:
    assert site.status("/metrics") == 404


def test_a_second_run_on_the_same_data_is_refused(site: Site) -> None:
    second = site.run("up")

    assert second.returncode == 1
    assert f"already running (pid {site.process.pid})" in second.stdout


def test_a_reset_is_refused_while_the_site_runs(site: Site) -> None:
    reset = site.run("reset")

    assert reset.returncode == 1
    assert "already running" in reset.stderr
    assert site.status("/readyz") == 200


@pytest.mark.parametrize(
    ("name", "command"),
    [
        ("web.1", "manage.py serve"),
        ("worker", "celery -q -A ticketing worker --queues=celery"),
        ("payer", "celery -q -A ticketing worker --queues=payments"),
        ("mailer", "celery -q -A ticketing worker --queues=mail"),
        ("ticker", "celery -q -A ticketing worker --queues=tick"),
        ("sandbox", "manage.py sandbox"),
        ("valkey", "valkey-server"),
        ("postgresql", "bin/postgres -D"),
    ],
)
def test_a_killed_child_is_restarted(site: Site, name: str, command: str) -> None:
    os.kill(site.pid_of(command), signal.SIGKILL)

    wait_for(lambda: f"{name} restarted." in site.output(), 60)
    wait_for(lambda: site.status("/readyz") == 200, 60)
    assert f"{name} exited (killed by SIGKILL)" in site.output()


def test_named_servers_are_used_and_none_is_started(site: Site, unstarted_site: Site) -> None:
    """The named servers are those of the shared site, whose database is migrated already."""
    named = addresses(site.var)
    unstarted_site.environment |= {
        "DATABASE_URL": named.database_url,
        "REDIS_URL": f"{named.redis_url}?db=63",
    }

    unstarted_site.start().wait_until_ready()

    assert unstarted_site.status("/readyz") == 200
    assert not [line for line in unstarted_site.processes().values() if "bin/postgres" in line]
    assert not (server_paths(unstarted_site.var).data / "postgres").exists()
    assert not (server_paths(unstarted_site.var).data / "valkey").exists()


def test_a_killed_run_leaves_no_orphan_and_starts_again(site: Site) -> None:
    wait_for(site.has_restarted_all, 60)
    assert len(site.processes()) > 5

    site.stop(signal.SIGKILL)

    wait_for(lambda: site.processes() == {}, 60)
    site.start().wait_until_ready()
    assert site.status("/readyz") == 200


def test_ctrl_c_stops_everything_in_order(site: Site) -> None:
    wait_for(site.has_restarted_all, 60)

    assert site.stop(signal.SIGINT) == 0

    assert site.processes() == {}
    stopped = re.findall(r"✓ (\S+) stopped", site.output())
    assert stopped[:3] == ["beat", "web.1", "ticker"], site.output()
    assert sorted(stopped[3:6]) == ["mailer", "payer", "worker"], "these at the same time"
    assert stopped[6:] == ["sandbox", "valkey", "postgresql"], site.output()


def test_a_reset_deletes_everything(site: Site) -> None:
    if site.process.poll() is None:
        site.stop(signal.SIGINT)

    assert site.run("reset").returncode == 0

    assert [path.name for path in site.var.iterdir()] == ["up.lock"]
    assert not (server_paths(site.var).data / "postgres").exists()
    assert not server_paths(site.var).run.exists()


def test_a_port_in_use_is_reported_and_nothing_is_started(unstarted_site: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        unstarted_site.environment["PORT"] = str(port)

        refused = unstarted_site.run("up")

    assert refused.returncode == 1
    assert f"Port {port} on 127.0.0.1 is in use" in refused.stdout
    assert "Traceback" not in refused.stdout + refused.stderr
    assert unstarted_site.processes() == {}


def test_a_folder_that_cannot_be_written_is_reported(unstarted_site: Site) -> None:
    unstarted_site.environment["VAR_DIR"] = "/proc/nowhere"

    refused = unstarted_site.run("up")

    assert refused.returncode == 1
    assert "VAR_DIR" in refused.stderr
    assert "Traceback" not in refused.stderr

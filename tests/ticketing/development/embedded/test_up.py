"""The default run, for real: it starts, survives its children, leaves nothing behind."""

import json
import os
import re
import signal
import socket

import psycopg
import pytest
from websockets.sync.client import connect

from tests.ticketing.development.embedded.site import Site, wait_for

pytestmark = pytest.mark.xdist_group("up")


def test_it_answers_and_says_where_and_who(site: Site) -> None:
    said = site.said()

    assert (site.status("/healthz"), site.status("/readyz")) == (200, 200)
    assert "fan@example.com" in said
    assert "/dev/mails/" in said
    assert site.status("/dev/mails/") == 200
    assert "for development only" in said


def test_websockets_are_served_on_the_same_port(site: Site) -> None:
    address = site.said().split("Ready: http://")[1].split("/\n")[0]

    with connect(f"ws://{address}/ws/nowhere/", origin=f"http://{address}") as line:
        frame = json.loads(line.recv(timeout=10))

    assert (frame["type"], frame["code"]) == ("error", "not_found")


def test_a_second_run_on_the_same_data_is_refused(site: Site) -> None:
    second = site.run("up")

    assert second.returncode == 1
    assert f"already running (pid {site.process.pid})" in second.stdout


def test_data_is_not_wiped_while_it_is_used(site: Site) -> None:
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
        ("ticker", "celery -q -A ticketing worker --queues=tick"),
        ("valkey", "valkey-server"),
        ("postgresql", "bin/postgres -D"),
    ],
)
def test_a_killed_child_comes_back(site: Site, name: str, command: str) -> None:
    os.kill(site.pid_of(command), signal.SIGKILL)

    wait_for(lambda: f"{name} was started again" in site.said(), 20)
    wait_for(lambda: site.status("/readyz") == 200, 20)
    assert f"{name} died (killed by SIGKILL)" in site.said()


def test_ctrl_c_stops_everything_in_order(site: Site) -> None:
    wait_for(site.is_whole, 20)

    assert site.stop(signal.SIGINT) == 0

    assert site.processes() == {}
    stopped = re.findall(r"✓ (\S+) stopped", site.said())
    assert stopped[:3] == ["beat", "web.1", "ticker"], site.said()
    assert sorted(stopped[3:5]) == ["payer", "worker"], "these two at the same time"
    assert stopped[5:] == ["valkey", "postgresql"], site.said()


def test_a_reset_forgets_everything(site: Site) -> None:
    if site.process.poll() is None:
        site.stop(signal.SIGINT)

    assert site.run("reset").returncode == 0

    assert [path.name for path in site.var.iterdir()] == ["up.lock"]


def test_servers_that_are_named_are_used_and_none_is_started(another: Site) -> None:
    with psycopg.connect(os.environ["DATABASE_URL"], autocommit=True) as server:
        server.execute("DROP DATABASE IF EXISTS up_elsewhere")
        server.execute("CREATE DATABASE up_elsewhere")
    another.environment |= {
        "DATABASE_URL": re.sub(r"/[^/]*$", "/up_elsewhere", os.environ["DATABASE_URL"]),
        "REDIS_URL": f"{os.environ['TEST_REDIS_URL']}?db=63",
    }

    another.start().wait_until_ready()

    assert another.status("/readyz") == 200
    assert not [line for line in another.processes().values() if "bin/postgres" in line]
    assert not (another.var / "valkey").exists()


def test_a_killed_run_leaves_no_orphan_and_starts_again(another: Site) -> None:
    another.start().wait_until_ready()
    assert len(another.processes()) > 5

    another.stop(signal.SIGKILL)

    wait_for(lambda: another.processes() == {}, 10)
    another.start().wait_until_ready()
    assert another.status("/readyz") == 200


def test_a_port_in_use_is_said_and_nothing_is_started(another: Site) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        another.environment["PORT"] = str(port)

        refused = another.run("up")

    assert refused.returncode == 1
    assert f"Port {port} on 127.0.0.1 is in use" in refused.stdout
    assert "Traceback" not in refused.stdout + refused.stderr
    assert another.processes() == {}


def test_a_folder_that_cannot_be_written_is_said(another: Site) -> None:
    another.environment["VAR_DIR"] = "/proc/nowhere"

    refused = another.run("up")

    assert refused.returncode == 1
    assert "VAR_DIR" in refused.stderr
    assert "Traceback" not in refused.stderr

"""Behind PgBouncer in transaction mode, which lends a server connection for one transaction."""

import os
import re
import shutil
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from tests.deploy.nginx import running
from tests.faults.site import free_port
from tests.waiting import wait_until
from ticketing.development.embedded.paths import server_identity

PGBOUNCER = shutil.which("pgbouncer") or shutil.which("pgbouncer", path="/usr/sbin")
pytestmark = [
    pytest.mark.django_db(transaction=True),
    pytest.mark.skipif(not PGBOUNCER, reason="PgBouncer is not installed"),
]


@pytest.fixture
def pooled() -> Iterator[str]:
    """The address of this worker's database through deploy/pgbouncer/pgbouncer.ini."""
    url, port = os.environ["DATABASE_URL"], free_port()
    sockets, _, database = url.removeprefix("postgresql://postgres@").partition("/")
    text = (Path("deploy/pgbouncer/pgbouncer.ini")).read_text()
    for real, ours in {
        "ticketing = host=127.0.0.1 port=5432": f"ticketing = host={sockets.replace('%2F', '/')} "
        f"dbname={database} user=postgres",
        "listen_addr = 0.0.0.0": "listen_addr = 127.0.0.1",
        "listen_port = 6432": f"listen_port = {port}",
        "auth_type = scram-sha-256": "auth_type = any",
        "auth_file = /etc/pgbouncer/userlist.txt": "unix_socket_dir =",
        # One server connection for all clients: each finds what the other left on it.
        "default_pool_size = 40": "default_pool_size = 1",
    }.items():
        assert real in text
        text = text.replace(real, ours)
    with TemporaryDirectory() as folder:
        Path(folder).chmod(0o755)  # the server runs as somebody else
        file = Path(folder, "pgbouncer.ini")
        file.write_text(text)
        with running([str(PGBOUNCER), "-q", file], **server_identity(), stderr=subprocess.DEVNULL):
            wait_until(lambda: is_listening(port))
            yield f"postgresql://postgres@127.0.0.1:{port}/ticketing?disable_server_side_cursors=1"


def is_listening(port: int) -> bool:
    with socket.socket() as probe:
        return probe.connect_ex(("127.0.0.1", port)) == 0


def hold_seats(address: str) -> str:
    """What goes wrong in a process whose thread and event loops share one server connection."""
    env = os.environ | {"DATABASE_URL": address}
    command = [sys.executable, "-m", "tests.deploy.hold_seats"]
    return subprocess.run(command, env=env, capture_output=True, text=True).stderr


def test_seats_are_held_without_prepared_statements(pooled):
    assert hold_seats(f"{pooled}&prepared_statements=0") == ""


def test_control_an_old_pooler_does_not_know_prepared_statements(pooled):
    """From 1.21 on, with max_prepared_statements, it does."""
    version = subprocess.run([str(PGBOUNCER), "--version"], capture_output=True, text=True).stdout
    major, minor = re.search(r"PgBouncer (\d+)\.(\d+)", version).groups()
    if (int(major), int(minor)) >= (1, 21):
        pytest.skip("this PgBouncer knows them")

    assert "prepared statement" in hold_seats(pooled)

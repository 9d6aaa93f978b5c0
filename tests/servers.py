"""Starts a PostgreSQL and a Valkey of the tests' own, and throws them away afterwards.

A plugin (`-p tests.servers`) because Django's settings are read before any conftest. Whatever
DATABASE_URL and REDIS_URL say is overruled: tests never touch a server that happens to be there.
"""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from ticketing.development.embedded.paths import ServerPaths, addresses
from ticketing.development.embedded.paths import server_paths as places_of
from ticketing.development.embedded.postgres import Postgres
from ticketing.development.embedded.servers import Server
from ticketing.development.embedded.valkey import Valkey

MEMORY = Path("/dev/shm")
ENOUGH = 2 * 1024**3


def fast_folder() -> Path | None:
    """In memory where there is room: emptying tables between tests is mostly work for a disk."""
    roomy = MEMORY.is_dir() and shutil.disk_usage(MEMORY).free > ENOUGH
    return MEMORY if roomy and os.access(MEMORY, os.W_OK | os.X_OK) else None


class Servers:
    """Both servers below one folder of their own."""

    def __init__(self) -> None:
        self.var = Path(tempfile.mkdtemp(prefix="ticketing-test-", dir=fast_folder()))
        self.var.chmod(0o755)
        self.paths: ServerPaths = places_of(self.var)
        self.servers: list[Server] = []

    def start(self) -> None:
        postgres, valkey = (kind(self.paths, disposable=True) for kind in (Postgres, Valkey))
        for server in (postgres, valkey):
            server.prepare()
            server.start(stdout=open(self.var / f"{server.name}.log", "wb"), stderr=-2)
            self.servers.append(server)
        for server in self.servers:
            server.wait_until_ready()
        postgres.create_database("ticketing")

    def stop(self) -> None:
        for server in reversed(self.servers):
            server.stop()
        shutil.rmtree(self.var, ignore_errors=True)


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """A wrapper runs before pytest-django's own hook, which reads the settings."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As in the background of a shell; commands under test would not heed Ctrl-C, either.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if worker := os.environ.get("PYTEST_XDIST_WORKER"):
        # Servers are shared; each worker has a database (pytest-django) and a Redis number.
        os.environ["REDIS_URL"] = f"{os.environ['TEST_REDIS_URL']}?db={int(worker[2:]) + 1}"
    else:
        servers = Servers()
        early_config.add_cleanup(servers.stop)
        servers.start()
        point_at(servers)
        subprocess.run(
            [sys.executable, "manage.py", "collectstatic", "--noinput", "-v0"], check=True
        )
    return (yield)


def point_at(servers: Servers) -> None:
    reached = addresses(servers.var)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "ticketing.settings",
        "VAR_DIR": str(servers.var / "site"),
        "DEVELOPMENT": "1",
        "SECRET_KEY": "only-for-tests",
        "DATABASE_URL": reached.database_url,
        "REDIS_URL": f"{reached.redis_url}?db=0",
        "TEST_REDIS_URL": reached.redis_url,
        "HOLD_TRIES": "0",  # one person of a test does more than anybody could
        "OVERLOAD_LAG_MS": "60000",  # a slow machine is not what is tested
        "REDIS_TIMEOUT": "20",
    }
    for name in ("DEBUG", "BROKER_URL", "ALLOWED_HOSTS", "LOG_LEVEL"):
        os.environ.pop(name, None)

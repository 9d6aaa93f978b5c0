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
import time
from collections.abc import Iterator
from contextlib import suppress
from hashlib import sha256
from pathlib import Path

import certifi
import psycopg
import pytest

from ticketing.development.embedded.paths import ServerPaths, addresses
from ticketing.development.embedded.paths import server_paths as places_of
from ticketing.development.embedded.postgres import Postgres
from ticketing.development.embedded.servers import Server
from ticketing.development.embedded.valkey import Valkey

MEMORY = Path("/dev/shm")
ENOUGH = 2 * 1024**3
# A database that nobody uses, so that it can be copied at any time: migrating takes seconds. It is
# left empty with OWN_SITE=1, for tests that start a whole site of their own.
MIGRATED = "migrated"
ROOT = Path(__file__).parent.parent
WEEK = 7 * 24 * 3600
APPS = ("ticketing", "waiting_queue", "reservations", "payments")


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
        self.postgres = Postgres(self.paths, disposable=True)
        self.valkey = Valkey(self.paths, disposable=True)

    @property
    def servers(self) -> tuple[Server, Server]:
        return self.postgres, self.valkey

    def start(self, *, cluster: str | None = None) -> None:
        """With PostgreSQL's files as they are in `cluster`, or with none."""
        if cluster:
            copy(Path(cluster), self.postgres.cluster)
        for server in self.servers:
            server.prepare()
            server.start(stdout=open(self.var / f"{server.name}.log", "wb"), stderr=-2)
        for server in self.servers:
            server.wait_until_ready()

    def copy_cluster(self) -> Path:
        """A copy of PostgreSQL's files, with which other servers can start."""
        self.postgres.stop()
        made = copy(self.postgres.cluster, self.var / "cluster")
        self.postgres.start(stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.postgres.wait_until_ready()
        return made

    def stop(self) -> None:
        for server in reversed(self.servers):
            server.stop()
        shutil.rmtree(self.var, ignore_errors=True)


def copy(folder: Path, to: Path) -> Path:
    """With owners and modes, which PostgreSQL looks at."""
    subprocess.run(["cp", "-a", folder, to], check=True)
    return to


@pytest.hookimpl(wrapper=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Iterator[None]:
    """A wrapper runs before pytest-django's own hook, which reads the settings."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        # As in the background of a shell; commands under test would not heed Ctrl-C, either.
        signal.signal(signal.SIGINT, signal.default_int_handler)
    worker = os.environ.get("PYTEST_XDIST_WORKER", "")
    if not worker:
        servers = Servers()
        early_config.add_cleanup(servers.stop)
        kept = kept_cluster()
        is_kept = kept.exists()
        servers.start(cluster=str(kept) if is_kept else None)
        point_at(servers)
        prepare_site(servers, kept, is_kept=is_kept)
    # Servers are shared; each worker has a database and a Redis number.
    os.environ["DATABASE_URL"] = copied_database(f"tests_{worker or 'alone'}")
    number = int(worker[2:]) + 1 if worker else 0
    os.environ["REDIS_URL"] = f"{os.environ['TEST_REDIS_URL']}?db={number}"
    return (yield)


def point_at(servers: Servers) -> None:
    reached = addresses(servers.var)
    os.environ |= {
        "DJANGO_SETTINGS_MODULE": "ticketing.settings",
        "VAR_DIR": str(servers.var / "site"),
        "DEVELOPMENT": "1",
        "SECRET_KEY": "only-for-tests",
        "TEST_POSTGRES_URL": reached.database_url.rpartition("/")[0],
        "TEST_REDIS_URL": reached.redis_url,
        "REDIS_URL": reached.redis_url,
        "HOLD_TRIES": "0",  # one person of a test does more than anybody could
        "OVERLOAD_LAG_MS": "60000",  # a slow machine is not what is tested
        "OVERLOAD_PAGES": "100000",
        "REDIS_TIMEOUT": "20",
        "SSL_CERT_FILE": str(one_certificate(servers.var)),
    }
    for name in ("DEBUG", "BROKER_URL", "ALLOWED_HOSTS", "LOG_LEVEL"):
        os.environ.pop(name, None)


def one_certificate(folder: Path) -> Path:
    """Nobody speaks to other machines; a client that reads all authorities takes 28 ms for it."""
    file, end = folder / "authority.pem", "-----END CERTIFICATE-----\n"
    file.write_text(Path(certifi.where()).read_text().partition(end)[0] + end)
    return file


def prepare_site(servers: Servers, kept: Path, *, is_kept: bool) -> None:
    """The migrated database and the static files; they share what Django takes to load."""
    if not is_kept:
        servers.postgres.create_database(MIGRATED)
    if os.environ.get("OWN_SITE"):
        return
    subprocess.run([sys.executable, "-m", "tests.prepare_site"], env=migrated(), check=True)
    cluster = servers.copy_cluster()
    os.environ["TEST_CLUSTER"] = str(cluster)
    if not is_kept:
        keep_cluster(cluster, kept)


def kept_cluster() -> Path:
    """Where a PostgreSQL with these migrations is kept between runs: they take ten seconds."""
    kinds = ("migrations/*.py", "sql/*.sql")
    files = [file for app in APPS for kind in kinds for file in (ROOT / app).glob(f"**/{kind}")]
    files = [ROOT / "requirements.txt", *sorted(files)]
    content = b"".join(str(file.relative_to(ROOT)).encode() + file.read_bytes() for file in files)
    return Path(sys.prefix) / f"test-cluster-{sha256(content).hexdigest()[:16]}"


def keep_cluster(cluster: Path, kept: Path) -> None:
    """Written whole, or not at all. Those of other branches stay for a week."""
    for other in kept.parent.glob("test-cluster-*"):
        if other.stat().st_mtime < time.time() - WEEK:
            shutil.rmtree(other, ignore_errors=True)
    with suppress(OSError, subprocess.CalledProcessError):
        made = copy(cluster, Path(tempfile.mkdtemp(dir=kept.parent)) / "cluster")
        made.rename(kept)
        made.parent.rmdir()


def migrated() -> dict[str, str]:
    return os.environ | {"DATABASE_URL": f"{os.environ['TEST_POSTGRES_URL']}/{MIGRATED}"}


def copied_database(name: str) -> str:
    """Makes a copy of the migrated database; returns its URL."""
    server = os.environ["TEST_POSTGRES_URL"]
    with psycopg.connect(f"{server}/postgres", autocommit=True) as connection:
        connection.execute(f"CREATE DATABASE {name} TEMPLATE {MIGRATED}")
    return f"{server}/{name}"

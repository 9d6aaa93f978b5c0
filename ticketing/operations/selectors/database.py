"""PostgreSQL: version, clock, connections and migrations."""

from collections.abc import Iterator
from datetime import datetime
from typing import Any

from django.conf import settings
from django.db import connection
from django.db.migrations.executor import MigrationExecutor

from ticketing.console.selectors import processes
from ticketing.core import clock
from ticketing.operations.selectors.finding import Finding
from ticketing.processes import WORKERS

OLDEST = 15
# The site allows for two seconds between any two clocks.
LONGEST_DIFFERENCE = 1.0
FULL = 0.8


def version(now: datetime) -> Iterator[Finding]:
    major = _value("SELECT current_setting('server_version_num')::int / 10000")
    if major < OLDEST:
        yield Finding(
            f"PostgreSQL {major} is too old.", f"Use {OLDEST} or newer; pg_upgrade takes minutes."
        )


def clock_difference(now: datetime) -> Iterator[Finding]:
    began = clock.now()
    theirs = _value("SELECT clock_timestamp()")
    between = began + (clock.now() - began) / 2
    seconds = (theirs - between).total_seconds()
    if abs(seconds) > LONGEST_DIFFERENCE:
        yield Finding(
            f"The clock of the database differs by {seconds:+.1f} s from this machine's.",
            "Let NTP set the clocks of both (timedatectl set-ntp true).",
        )


def connections(now: datetime) -> Iterator[Finding]:
    limit = _value(
        "SELECT current_setting('max_connections')::int"
        " - current_setting('superuser_reserved_connections')::int"
    )
    used = _value("SELECT count(*) FROM pg_stat_activity WHERE backend_type = 'client backend'")
    if used > FULL * limit:
        yield Finding(
            f"{used} of {limit} connections of the database are in use.",
            "Raise max_connections, or put PgBouncer in front (deploy/pgbouncer).",
        )
    needed = connections_needed([it.kind for it in processes(now) if not it.is_silent])
    if needed > limit and not connection.settings_dict["DISABLE_SERVER_SIDE_CURSORS"]:
        yield Finding(
            f"The processes that run may open {needed} connections; the database allows {limit}.",
            f"Set max_connections above {needed}, or put PgBouncer in front (deploy/pgbouncer).",
        )


def connections_needed(kinds: list[str]) -> int:
    """What processes of these kinds use at most."""
    web = settings.WEB_THREADS + 2 * settings.FAST_PATH_THREADS + 2
    threads = {"web": web} | {it.name: it.threads for it in WORKERS}
    return sum(threads.get(kind, 1) for kind in kinds)


def migrations(now: datetime) -> Iterator[Finding]:
    executor = MigrationExecutor(connection)
    missing = executor.migration_plan(executor.loader.graph.leaf_nodes())
    if missing:
        yield Finding(
            f"{len(missing)} migrations are not applied, such as {missing[0][0]}.",
            "Run: python manage.py migrate",
        )


def _value(statement: str) -> Any:
    with connection.cursor() as cursor:
        cursor.execute(statement)
        return cursor.fetchone()[0]

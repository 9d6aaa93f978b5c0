"""Connections find the server that may be written, before and after the standby took over."""

import asyncio
from collections.abc import Iterator

import psycopg
import pytest
from django.db import connection

from bench.cluster.hosts import Host, make_folder
from bench.cluster.postgres import PostgresNode, PostgresPair, wait_until
from tests.faults.site import free_port
from ticketing.core.async_database import AsyncDatabase
from ticketing.core.server_addresses import database_settings

WRITABLE = "SELECT NOT pg_is_in_recovery()"


@pytest.fixture(scope="module")
def pair(tmp_path_factory: pytest.TempPathFactory) -> Iterator[PostgresPair]:
    folder = tmp_path_factory.mktemp("pair")
    for each in (folder, *folder.parents[:3]):  # the server may be another user's
        each.chmod(0o755)
    hosts = [Host(name, "127.0.0.1", make_folder(folder / name)) for name in ("db1", "db2")]
    started = PostgresPair(*(PostgresNode(host, free_port()) for host in hosts))
    try:
        started.start()
        yield started
    finally:
        for host in hosts:
            host.kill()


def options_of(pair: PostgresPair, **query: str) -> dict[str, str]:
    """As Django gives them to psycopg; the standby stands first."""
    hosts = f"127.0.0.1:{pair.standby.port},127.0.0.1:{pair.primary.port}"
    found = database_settings(f"postgresql://postgres@{hosts}/ticketing")
    return {
        "host": found["HOST"],
        "port": found["PORT"],
        "user": "postgres",
        "dbname": "ticketing",
        **found["OPTIONS"],
        **query,
    }


def is_writable(options: dict[str, str]) -> bool:
    with psycopg.connect(**options) as opened:
        return bool(opened.execute(WRITABLE).fetchone()[0])


def test_the_writable_server_is_found_wherever_it_stands(pair, monkeypatch):
    writing = options_of(pair, target_session_attrs="read-write")

    assert is_writable(writing)
    assert not is_writable(options_of(pair))  # the control: without it the first one is taken

    pair.primary.host.kill()
    pair.fail_over()

    assert is_writable(writing)
    monkeypatch.setattr(connection, "get_connection_params", lambda: writing)
    assert asyncio.run(_ask()) == (True,)


async def _ask() -> tuple[bool]:
    database = AsyncDatabase(1)
    try:
        return await database.fetch_row(WRITABLE, [])
    finally:
        database.close()


def test_a_commit_is_on_the_standby_before_it_is_confirmed(pair):
    if pair.standby.host.processes == {}:
        pair.join()
    with psycopg.connect(pair.primary.url, autocommit=True) as opened:
        opened.execute("CREATE TABLE IF NOT EXISTS sold (seat int)")
        opened.execute("INSERT INTO sold VALUES (1)")

    pair.primary.host.kill()
    pair.fail_over()

    with psycopg.connect(pair.primary.url) as opened:
        wait_until(lambda: opened.execute("SELECT count(*) FROM sold").fetchone() == (1,), 1)

"""A PostgreSQL that does not answer costs a thread a bounded time, and the next ones nothing."""

import asyncio
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import TimeoutError as NoAnswer
from pathlib import Path
from typing import Any

import pytest
from django.db import OperationalError, connection

from ticketing.core import async_database, clock
from ticketing.core.async_database import AsyncDatabase
from ticketing.core.postgresql import base
from ticketing.core.postgresql.base import DatabaseWrapper, breaker
from ticketing.rehearsal.network.control import Network

pytestmark = pytest.mark.django_db(transaction=True)
SILENCE = 0.3


@pytest.fixture(scope="module")
def proxy() -> Iterator[Network]:
    folder = Path(connection.settings_dict["HOST"])
    network = Network({"postgresql": str(folder / ".s.PGSQL.5432")})
    yield network
    network.stop()


@pytest.fixture
def network(proxy: Network) -> Iterator[Network]:
    yield proxy
    proxy.restore()
    breaker.close()


@pytest.fixture
def limited(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(base, "_longest_silence", SILENCE)


@pytest.fixture
def still_clock(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """The breaker's clock."""
    now = [1_000.0]
    monkeypatch.setattr(clock, "monotonic", lambda: now[0])
    return now


def proxied(network: Network) -> DatabaseWrapper:
    address = {"HOST": "127.0.0.1", "PORT": str(network.ports["postgresql"])}
    return DatabaseWrapper(connection.settings_dict | address, alias="proxied")


def ask(database: DatabaseWrapper) -> Any:
    with database.cursor() as cursor:
        cursor.execute("SELECT 7")
        return cursor.fetchone()


def test_a_statement_without_an_answer_fails_and_the_next_ones_at_once(
    network: Network, limited: None, still_clock: list[float]
) -> None:
    database = proxied(network)
    assert ask(database) == (7,)
    network.disturb(["postgresql"], "stall")

    with pytest.raises(OperationalError, match="did not answer in time"):
        ask(database)
    for _ in range(100):
        with pytest.raises(OperationalError, match="paused for a moment"):
            ask(proxied(network))
    database.close()

    network.restore()
    still_clock[0] += 1
    for again in (proxied(network), proxied(network)):
        assert ask(again) == (7,)
        again.close()


def test_control_without_a_limit_a_thread_waits_until_the_answer_comes(network: Network) -> None:
    database = proxied(network)
    database.inc_thread_sharing()
    assert ask(database) == (7,)
    network.disturb(["postgresql"], "stall")

    with ThreadPoolExecutor(1) as pool:
        waiting = pool.submit(ask, database)
        with pytest.raises(NoAnswer):
            waiting.result(5 * SILENCE)
        network.restore()
        assert waiting.result(30) == (7,)
    database.close()


def test_a_connection_that_can_t_be_opened_in_time_opens_the_breaker(
    network: Network, still_clock: list[float]
) -> None:
    network.disturb(["postgresql"], "stall")
    database = proxied(network)
    database.settings_dict["OPTIONS"] = {"connect_timeout": 1}

    with pytest.raises(OperationalError, match="timeout"):
        ask(database)
    with pytest.raises(OperationalError, match="paused for a moment"):
        ask(database)


@pytest.mark.parametrize("is_guarded", [True, False], ids=["it", "control"])
async def test_a_crowd_of_coroutines_fails_with_the_first_and_does_not_wait_in_turn(
    network: Network, monkeypatch: pytest.MonkeyPatch, is_guarded: bool
) -> None:
    """The control has no breaker: everybody waits for the timeout once it is their turn."""
    monkeypatch.setitem(connection.settings_dict, "HOST", "127.0.0.1")
    monkeypatch.setitem(connection.settings_dict, "PORT", str(network.ports["postgresql"]))
    monkeypatch.setattr(async_database, "TIMEOUT_SECONDS", SILENCE)
    if not is_guarded:
        monkeypatch.setattr(breaker, "open", lambda: None)
    database, timeouts = AsyncDatabase(1), list[str]()
    assert await database.fetch_row("SELECT 7", []) == (7,)
    await asyncio.to_thread(network.disturb, ["postgresql"], "stall")

    async def fetch() -> None:
        try:
            await database.fetch_row("SELECT 7", [])
        except OperationalError as error:
            timeouts.extend(["waited"] if "in time" in str(error) else [])

    await asyncio.gather(*(fetch() for _ in range(5)))

    assert len(timeouts) == (1 if is_guarded else 5)

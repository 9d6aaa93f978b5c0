"""Every strategy with real parallel buyers, and the two that have to go wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

import psycopg
import pytest

from reservations.lab import keys
from reservations.lab.config import RaceConfig
from reservations.lab.processes import ProcessGroup, process_group
from reservations.lab.race import race_one
from reservations.lab.results import Outcome, RaceResult
from reservations.lab.scratch_schema import scratch_schema
from reservations.lab.strategies import EARLY, STRATEGIES, kept_promise
from tests.reservations.lab.making import buy, make_config

BUYERS = 6
SOUND = [name for name, strategy in STRATEGIES.items() if strategy.sound]


@pytest.fixture(scope="module")
def processes() -> Iterator[ProcessGroup]:
    with process_group(make_config(buyers=BUYERS, pool=BUYERS), workers=True) as processes:
        yield processes


def raced(processes: ProcessGroup, strategy: str, **changes: Any) -> RaceResult:
    # Whoever waits for a row lock on a crowded machine should win or lose, not give up.
    config = make_config(**{"buyers": BUYERS, "lock_timeout": 10.0} | changes)
    with scratch_schema(config) as schema:
        return race_one(strategy, config=config, schema=schema, processes=processes)


@pytest.mark.parametrize("seats", [1, 3])
@pytest.mark.parametrize("strategy", SOUND)
def test_each_seat_has_one_owner(processes, strategy, seats):
    result = raced(processes, strategy, seats=seats)

    assert [result.successes, len(result.sales), result.duplicates] == [seats, seats, 0]
    assert result.count(Outcome.TAKEN) == BUYERS - seats
    assert result.one_owner_per_seat


@pytest.mark.parametrize("strategy", ["none", EARLY])
def test_control_without_a_lock_or_with_one_released_too_early_everybody_gets_the_seat(
    processes, strategy
):
    result = raced(processes, strategy, think_together=True)

    assert [result.successes, len(result.sales), result.duplicates] == [BUYERS, BUYERS, BUYERS - 1]
    assert not result.one_owner_per_seat
    assert kept_promise(result)  # it promised nothing


def test_those_whom_the_gate_turns_away_cost_the_database_nothing(processes):
    result = raced(processes, "gate")

    costs = {attempt.outcome: attempt.database_cost.statements for attempt in result.attempts}
    assert costs[Outcome.TAKEN] == 0
    assert costs[Outcome.BOUGHT] == result.database_cost.statements > 0


def test_control_with_a_row_lock_alone_every_loser_asks_the_database(processes):
    result = raced(processes, "pessimistic")

    assert all(attempt.database_cost.statements >= 4 for attempt in result.attempts)


def test_the_constraint_decides_where_the_gate_knows_nothing(config, redis):
    with scratch_schema(config) as schema:
        schema.prepare(constraint=True)
        # The gate was lost, and somebody who forgot the lock is faster.
        found = buy("gate", config, 1, meanwhile=lambda: buy("none", config, 2))

        assert found is Outcome.TAKEN
        assert [sale.buyer for sale in schema.sales()] == [2]


def test_a_try_that_came_to_nothing_opens_the_gate_again(config, redis, schema, database):
    with row_locked(database, config):
        assert buy("gate", config, 1) is Outcome.BUSY

    assert redis.get(keys.gate(config, 1)) is None
    assert buy("gate", config, 2) is Outcome.BOUGHT


def test_nobody_waits_long_for_a_row_lock_so_other_pages_do_not_starve(processes):
    result = raced_while_locked(processes, lock_timeout=0.1, held=4)

    assert result.count(Outcome.BUSY) == BUYERS
    assert max(result.page_times) < 2


def test_control_with_a_long_lock_timeout_other_pages_wait_for_a_connection(processes):
    result = raced_while_locked(processes, lock_timeout=10, held=3)

    assert result.successes == 1
    assert max(result.page_times) > 2


def raced_while_locked(processes: ProcessGroup, *, lock_timeout: float, held: float) -> RaceResult:
    """On a site with two connections, while somebody else has the seat's row for so long."""
    config = make_config(buyers=BUYERS, lock_timeout=lock_timeout)
    with scratch_schema(config) as schema, psycopg.connect(config.database) as outsider:
        schema.prepare(constraint=False)
        outsider.execute(f"SELECT FROM {config.schema}.seat FOR UPDATE")
        letting_go = Timer(held, outsider.rollback)
        letting_go.start()
        with smaller_pool(processes, by=BUYERS - 2):
            result = race_on(processes, "pessimistic", config, schema)
        letting_go.cancel()
        outsider.rollback()
        return result


def race_on(processes: ProcessGroup, strategy: str, config: RaceConfig, schema: Any) -> RaceResult:
    """Without making the tables anew, which would wait for the lock."""
    schema.prepare = lambda **_: None
    return race_one(strategy, config=config, schema=schema, processes=processes)


@contextmanager
def smaller_pool(processes: ProcessGroup, *, by: int) -> Iterator[None]:
    for _ in range(by):
        processes.tools.pool.acquire()
    yield
    for _ in range(by):
        processes.tools.pool.release()


@contextmanager
def row_locked(database: psycopg.Connection, config: RaceConfig) -> Iterator[None]:
    with database.transaction():
        database.execute(f"SELECT FROM {config.schema}.seat FOR UPDATE")
        yield

"""Every strategy with real parallel buyers, and the two that have to go wrong."""

from collections.abc import Iterator
from contextlib import contextmanager
from threading import Timer
from typing import Any

import psycopg
import pytest

from reservations.lab import keys
from reservations.lab.arena import arena
from reservations.lab.crew import Crew, hired
from reservations.lab.race import is_sound, race_one
from reservations.lab.results import Outcome, Result
from reservations.lab.strategies import EARLY, STRATEGIES
from reservations.lab.terms import Terms
from tests.reservations.lab.scenes import buy, make_terms

BUYERS = 6
SOUND = [name for name, strategy in STRATEGIES.items() if strategy.sound]


@pytest.fixture(scope="module")
def crew() -> Iterator[Crew]:
    with hired(make_terms(buyers=BUYERS, pool=BUYERS), workers=True) as crew:
        yield crew


def raced(crew: Crew, strategy: str, **changes: Any) -> Result:
    # Whoever waits for a row lock on a crowded machine should win or lose, not give up.
    terms = make_terms(**{"buyers": BUYERS, "lock_timeout": 10.0} | changes)
    with arena(terms) as scene:
        return race_one(strategy, terms=terms, scene=scene, crew=crew)


@pytest.mark.parametrize("seats", [1, 3])
@pytest.mark.parametrize("strategy", SOUND)
def test_each_seat_has_one_owner(crew, strategy, seats):
    result = raced(crew, strategy, seats=seats)

    assert [result.successes, len(result.sales), result.duplicates] == [seats, seats, 0]
    assert result.count(Outcome.TAKEN) == BUYERS - seats
    assert result.one_owner_per_seat


@pytest.mark.parametrize("strategy", ["none", EARLY])
def test_control_without_a_lock_or_with_one_released_too_early_everybody_gets_the_seat(
    crew, strategy
):
    result = raced(crew, strategy, together=True)

    assert [result.successes, len(result.sales), result.duplicates] == [BUYERS, BUYERS, BUYERS - 1]
    assert not result.one_owner_per_seat
    assert is_sound(result)  # it promised nothing


def test_those_whom_the_gate_turns_away_cost_the_database_nothing(crew):
    result = raced(crew, "gate")

    costs = {attempt.outcome: attempt.ledger.statements for attempt in result.attempts}
    assert costs[Outcome.TAKEN] == 0
    assert costs[Outcome.BOUGHT] == result.ledger.statements > 0


def test_control_with_a_row_lock_alone_every_loser_asks_the_database(crew):
    result = raced(crew, "pessimistic")

    assert all(attempt.ledger.statements >= 4 for attempt in result.attempts)


def test_the_constraint_decides_where_the_gate_knows_nothing(terms, redis):
    with arena(terms) as scene:
        scene.prepare(constraint=True)
        # The gate was lost, and somebody who forgot the lock is faster.
        found = buy("gate", terms, 1, meanwhile=lambda: buy("none", terms, 2))

        assert found is Outcome.TAKEN
        assert [sale.buyer for sale in scene.sales()] == [2]


def test_a_try_that_came_to_nothing_opens_the_gate_again(terms, redis, scene, database):
    with row_locked(database, terms):
        assert buy("gate", terms, 1) is Outcome.BUSY

    assert redis.get(keys.gate(terms, 1)) is None
    assert buy("gate", terms, 2) is Outcome.BOUGHT


def test_nobody_waits_long_for_a_row_lock_so_other_pages_do_not_starve(crew):
    result = raced_while_locked(crew, lock_timeout=0.1, held=4)

    assert result.count(Outcome.BUSY) == BUYERS
    assert max(result.visits) < 2


def test_control_with_a_long_lock_timeout_other_pages_wait_for_a_connection(crew):
    result = raced_while_locked(crew, lock_timeout=10, held=3)

    assert result.successes == 1
    assert max(result.visits) > 2


def raced_while_locked(crew: Crew, *, lock_timeout: float, held: float) -> Result:
    """On a site with two connections, while somebody else has the seat's row for so long."""
    terms = make_terms(buyers=BUYERS, lock_timeout=lock_timeout)
    with arena(terms) as scene, psycopg.connect(terms.database) as outsider:
        scene.prepare(constraint=False)
        outsider.execute(f"SELECT FROM {terms.schema}.seat FOR UPDATE")
        letting_go = Timer(held, outsider.rollback)
        letting_go.start()
        with smaller_pool(crew, by=BUYERS - 2):
            result = race_on(crew, "pessimistic", terms, scene)
        letting_go.cancel()
        outsider.rollback()
        return result


def race_on(crew: Crew, strategy: str, terms: Terms, scene: Any) -> Result:
    """Without making the tables anew, which would wait for the lock."""
    scene.prepare = lambda **_: None
    return race_one(strategy, terms=terms, scene=scene, crew=crew)


@contextmanager
def smaller_pool(crew: Crew, *, by: int) -> Iterator[None]:
    for _ in range(by):
        crew.tools.pool.acquire()
    yield
    for _ in range(by):
        crew.tools.pool.release()


@contextmanager
def row_locked(database: psycopg.Connection, terms: Terms) -> Iterator[None]:
    with database.transaction():
        database.execute(f"SELECT FROM {terms.schema}.seat FOR UPDATE")
        yield

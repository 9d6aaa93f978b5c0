import pytest

from tests.ticketing.rehearsal.simulator.judge.honest_sale import honest
from ticketing.rehearsal.simulator.history import Evidence


@pytest.fixture(scope="session")
def sale() -> Evidence:
    """The evidence of a correct sale of sixty users, with lost answers and two faults."""
    return honest(seed=5)


@pytest.fixture(scope="session")
def calm_sale() -> Evidence:
    """The evidence of a sale without faults, where nothing is excused."""
    return honest(seed=12, faults=False, lost=0.0)

import pytest
from django.utils import translation

from tests.ticketing.rehearsal.making import honest
from ticketing.rehearsal.simulator.history import Evidence


@pytest.fixture(scope="session")
def sale() -> Evidence:
    """An honest sale of sixty people with lost answers, a dying process and a wrong clock."""
    return honest(seed=8)


@pytest.fixture(scope="session")
def calm_sale() -> Evidence:
    """The same without faults, where nothing is excused."""
    return honest(seed=2, faults=False, lost=0.0)


@pytest.fixture(autouse=True)
def in_english(settings):
    """Verdicts and reports are told in the language that is active."""
    settings.LANGUAGE_CODE = "en"
    with translation.override("en"):
        yield

"""Events that sell openly, people who want seats, and time as a value."""

from collections.abc import Iterator
from typing import Any

import pytest

from tests.making import make_user
from ticketing.core.briefly import forget_everything


@pytest.fixture(autouse=True)
def nothing_remembered() -> Iterator[None]:
    forget_everything()
    yield
    forget_everything()


@pytest.fixture
def fan(transactional_db: None) -> Any:
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def rival(transactional_db: None) -> Any:
    return make_user(display_name="Ben", password=None)

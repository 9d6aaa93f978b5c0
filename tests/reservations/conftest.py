"""Events that sell openly, people who want seats, and time as a value."""

from typing import Any

import pytest

from tests.making import make_user


@pytest.fixture
def fan(transactional_db: None) -> Any:
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def rival(transactional_db: None) -> Any:
    return make_user(display_name="Ben", password=None)

"""Fans with browsers that are logged in. Where nothing commits, tests roll back."""

from typing import Any

import pytest

from tests.making import make_user
from tests.payments.buyers import Buyer
from tests.payments.views.browser import Browser


@pytest.fixture
def fan(db: None) -> Any:
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def rival(db: None) -> Any:
    return make_user(display_name="Ben", password=None)


@pytest.fixture
def me(fan: Any) -> Browser:
    return Browser(fan)


@pytest.fixture
def stranger(rival: Any) -> Browser:
    return Browser(rival)


@pytest.fixture
def paid(paying_site: str, buyer: Buyer) -> Buyer:
    assert buyer.buy().state == "succeeded"
    return buyer

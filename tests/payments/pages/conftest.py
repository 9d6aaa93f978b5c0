"""A fan who holds seats, with a browser that is logged in; and, where it is needed, the sandbox."""

from typing import Any

import pytest

from tests.making import make_user
from tests.payments.pages.reading import Browser
from tests.payments.saga.acting import Buyer
from tests.payments.sandbox.conftest import base, ear, origin, shop  # noqa: F401 - fixtures
from ticketing.events.models import Event


@pytest.fixture
def fan(db: None) -> Any:
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def rival(db: None) -> Any:
    return make_user(display_name="Ben", password=None)


@pytest.fixture
def gateway(base: str, settings: Any) -> str:  # noqa: F811
    """The sandbox behind a real server; nobody has much patience."""
    settings.PORTONE_URL = base
    settings.PAYMENT_PATIENCE = 2
    settings.PORTONE_TIMEOUT = 4
    return base


@pytest.fixture
def buyer(event: Event, fan: Any, now: Any) -> Buyer:
    """Holds two seats, and has not begun to pay."""
    return Buyer(event, fan, now)


@pytest.fixture
def me(fan: Any) -> Browser:
    return Browser(fan)


@pytest.fixture
def stranger(rival: Any) -> Browser:
    return Browser(rival)


@pytest.fixture
def paid(gateway: str, buyer: Buyer) -> Buyer:
    assert buyer.buy().state == "succeeded"
    return buyer

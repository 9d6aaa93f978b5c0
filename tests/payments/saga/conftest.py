"""A fan who holds seats, the sandbox behind a real server, and time as a value."""

from datetime import timedelta
from typing import Any

import pytest

from payments.gateways import gateway
from payments.saga import payment_steps
from tests.making import make_user
from tests.payments.saga.acting import Buyer
from tests.payments.sandbox.conftest import base, ear, origin, shop  # noqa: F401 - fixtures
from ticketing.events.models import Event


@pytest.fixture
def fan(transactional_db: None) -> Any:
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def rival(transactional_db: None) -> Any:
    return make_user(display_name="Ben", password=None)


@pytest.fixture(autouse=True)
def _site(base: str, settings: Any) -> None:  # noqa: F811
    """Our own clients pay there, and nobody has much patience."""
    settings.PORTONE_URL = base
    settings.PAYMENT_PATIENCE = 2
    settings.PORTONE_TIMEOUT = 4


@pytest.fixture
def buyer(event: Event, fan: Any, now: Any) -> Buyer:
    """Holds two seats, and has not begun to pay."""
    return Buyer(event, fan, now)


@pytest.fixture
def unanswered(buyer: Buyer) -> Buyer:
    """Charged, but our side does not know: it died before it heard."""
    buyer.start()
    token = buyer.agree()["paymentToken"]
    charging = payment_steps.mark_charging(
        buyer.payment, token=token, transaction_id="", now=buyer.now
    )
    assert charging
    order: Any = {"number": charging.number, "amount": charging.amount}
    gateway().charge(**order, currency=charging.currency, token=token, timeout=5)
    return buyer


@pytest.fixture
def later(now: Any) -> Any:
    """When every deadline has passed, and nobody waits for anything any more."""
    return now + timedelta(minutes=30)

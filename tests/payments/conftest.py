"""A fan who holds seats, and a site that pays at the sandbox behind a real server."""

from collections.abc import Iterator
from datetime import datetime, timedelta
from typing import Any

import pytest

from payments.services import webhooks
from tests.making import make_user
from tests.payments.buyers import Buyer, ask_gateway, settle_in_background
from tests.payments.sandbox_server import base, origin, shop  # noqa: F401 - fixtures
from ticketing.events.models import Event


@pytest.fixture(autouse=True)
def woken(monkeypatch: pytest.MonkeyPatch) -> list[None]:
    """Webhooks wake nobody: tests decide when somebody works. One entry for each wake-up."""
    wakes: list[None] = []
    monkeypatch.setattr(webhooks, "wake_settlement", lambda: wakes.append(None))
    return wakes


@pytest.fixture
def fan(transactional_db: None) -> Any:
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def rival(transactional_db: None) -> Any:
    return make_user(display_name="Ben", password=None)


@pytest.fixture
def paying_site(base: str, settings: Any) -> Iterator[str]:  # noqa: F811
    """The site pays at the sandbox, patiently: the machine may be busy."""
    settings.PORTONE_URL = base
    settings.PAYMENT_PATIENCE = settings.PORTONE_TIMEOUT = 20
    yield base
    settle_in_background()  # before the next test empties the tables


@pytest.fixture
def buyer(event: Event, fan: Any, now: datetime) -> Buyer:
    """Holds two seats, and has not begun to pay."""
    return Buyer(event, fan, now)


@pytest.fixture
def unanswered(paying_site: str, buyer: Buyer) -> Buyer:
    """Charged at the gateway, but our side died before it got the answer."""
    buyer.start()
    token = buyer.agree()["paymentToken"]
    charging = buyer.start_charge(token)
    order: Any = {"number": charging.number, "amount": charging.amount}
    ask_gateway("charge", **order, currency=charging.currency, token=token, timeout=60)
    return buyer


@pytest.fixture
def later(now: datetime) -> datetime:
    """When every deadline has passed."""
    return now + timedelta(minutes=30)

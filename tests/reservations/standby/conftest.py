"""A small house that is sold out, whose returned seats go to the standby list."""

from datetime import datetime

import pytest

from reservations.models import Reservation
from tests.making import make_event, make_plan
from tests.reservations.standby.acting import all_sold
from ticketing.events.models import Event


@pytest.fixture
def event(transactional_db: None, now: datetime) -> Event:
    """Two rows of four: the first is grade R, the last S."""
    plan = make_plan(rows=2, seats_per_row=4)
    return make_event(now, plan=plan, returns="standby", offer_seconds=600)


@pytest.fixture
def orders(event: Event, now: datetime) -> list[Reservation]:
    return all_sold(event, now)

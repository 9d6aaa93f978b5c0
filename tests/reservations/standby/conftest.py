"""A small house that is sold out, whose returned seats go to the standby list."""

from datetime import datetime
from typing import Any

import pytest

from reservations.models import Reservation
from tests.making import make_event, make_plan, make_user, seat_ids
from tests.reservations.standby.acting import bought
from ticketing.models import Event


@pytest.fixture
def event(transactional_db: None, now: datetime) -> Event:
    """Two rows of four: the first is grade R, the last S."""
    plan = make_plan(rows=2, seats_per_row=4)
    return make_event(now, plan=plan, returns="standby", offer_seconds=600)


@pytest.fixture
def owner(event: Event) -> Any:
    return make_user(display_name="Owner", password=None)


@pytest.fixture
def orders(event: Event, now: datetime) -> list[Reservation]:
    """Seat by seat, each sold to somebody else: nothing is left."""
    return [bought(event, make_user(password=None), now, seat) for seat in seat_ids(event)]

"""Somebody who bought two seats, and people at the door."""

from typing import Any
from uuid import uuid4

import pytest
from django.contrib.auth.models import Permission

from reservations import services
from reservations.models import CheckIn, Reservation, Ticket
from tests.making import make_user, seat_ids
from tests.reservations.acting import hold
from ticketing.events.models import Event


def buy(event: Event, fan: Any, now: Any, *seats: int) -> Reservation:
    code = hold(event, fan, now, *seats).reservation.code
    services.extend_for_payment(code=code, fan_id=fan.pk, now=now)
    return services.confirm(code=code, now=now)


def scan(event: Event, text: str, by: Any, now: Any, **more: Any) -> CheckIn:
    told = {"key": uuid4(), "text": text} | {k: more.pop(k) for k in list(more) if k != "door"}
    return services.check_in(event_id=event.pk, scan=services.Scan(**told), by=by, now=now, **more)


def make_doorkeeper(**fields: Any) -> Any:
    """Staff who may check tickets in, and nothing else."""
    person = make_user(is_staff=True, password=None, **fields)
    person.user_permissions.add(Permission.objects.get(codename="check_in"))
    return person


@pytest.fixture
def fan(db: None) -> Any:
    return make_user(display_name="Ann", password=None)


@pytest.fixture
def rival(db: None) -> Any:
    return make_user(display_name="Ben", password=None)


@pytest.fixture
def doorkeeper(db: None) -> Any:
    return make_doorkeeper(email="door@example.com")


@pytest.fixture
def order(event: Event, fan: Any, now: Any) -> Reservation:
    return buy(event, fan, now, *seat_ids(event)[:2])


@pytest.fixture
def ticket(order: Reservation) -> Ticket:
    found = order.tickets.order_by("pk").first()
    assert found is not None
    return found

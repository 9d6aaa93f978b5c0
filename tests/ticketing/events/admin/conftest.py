from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import Permission
from django.test import Client

from tests import clearing
from tests.making import make_event, make_user
from ticketing.accounts.models import User
from ticketing.core import clock
from ticketing.events.models import Event, Venue
from ticketing.events.plans.generate import Block
from ticketing.events.services.plans import generate_plan


@pytest.fixture
def operator_client(operator: User, client: Client) -> Client:
    """A client logged in as a superuser."""
    client.force_login(operator, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def viewer_client(db: None) -> Client:
    """A client logged in as staff with view permissions only."""
    user = make_user(is_staff=True)
    user.user_permissions.set(Permission.objects.filter(codename__startswith="view_"))
    client = Client()
    client.force_login(user, backend="django.contrib.auth.backends.ModelBackend")
    return client


@pytest.fixture
def venue(db: None) -> Venue:
    return Venue.objects.create(name_ko="올림픽홀", name_en="Olympic Hall")


@pytest.fixture(scope="module")
def committed_arena(django_db_setup: None, django_db_blocker: Any) -> Iterator[int]:
    """An event with twenty thousand seats, created once for all tests of a module."""
    with django_db_blocker.unblock():
        venue = Venue.objects.create(name_ko="올림픽홀", name_en="Olympic Hall")
        blocks = [
            Block(code=f"S{n}", grade="RS"[n % 2], rows=25, seats_per_row=40, column=n + 1)
            for n in range(20)
        ]
        plan = generate_plan(venue_id=venue.pk, name="arena", blocks=blocks, by=None)
        event = make_event(clock.now(), plan=plan)
    yield event.pk
    with django_db_blocker.unblock():
        clearing.clear_tables()


@pytest.fixture
def arena(db: None, committed_arena: int) -> Event:
    return Event.objects.get(pk=committed_arena)

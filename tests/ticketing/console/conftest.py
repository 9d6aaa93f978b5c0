from datetime import timedelta

import pytest
from django.contrib.auth.models import Group
from django.utils import translation

from tests.making import make_user
from ticketing.accounts.models import User
from waiting_queue import services as queues
from waiting_queue.models import SaleQueue


@pytest.fixture(autouse=True)
def in_english(settings):
    settings.LANGUAGE_CODE = "en"
    with translation.override("en"):
        yield


@pytest.fixture
def fan(db) -> User:
    """Without a password: hashing one takes longer than a test."""
    return make_user(password=None)


@pytest.fixture
def operator(db) -> User:
    return make_user(password=None, email="operator@example.com", is_staff=True, is_superuser=True)


@pytest.fixture
def sale(event, operator, now) -> SaleQueue:
    """An open sale with five people waiting and nobody inside."""
    queue = SaleQueue.objects.create(event=event, opens_at=now - timedelta(minutes=1))
    queue = queues.move_queue(event_id=queue.pk, to="open", by=operator, now=now)
    queues.tick_open_queues(now=now)
    for person in range(1_001, 1_006):
        queues.join(event_id=queue.pk, person=str(person), now=now)
    return queue


@pytest.fixture
def person_of(db):
    """Makes a member of staff with this role, or without any."""

    def make(role: str, **fields) -> User:
        user = make_user(**{"is_staff": True, "password": None} | fields)
        user.groups.set(Group.objects.filter(name=role))
        return user

    return make

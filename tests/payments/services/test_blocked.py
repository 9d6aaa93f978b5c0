"""Somebody whom an operator blocked can't begin to pay for the seats that they still hold."""

from datetime import timedelta

import pytest

from reservations.errors import BlockedFromBuying
from tests.making import make_user
from tests.payments.buyers import Buyer
from waiting_queue import services as queues
from waiting_queue import store
from waiting_queue.models import SaleQueue

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("paying_site")]


@pytest.fixture
def line(event, now):
    """A queue that is not in front of the sale yet, so that seats can be held without a turn."""
    later = now + timedelta(hours=1)
    return SaleQueue.objects.create(event=event, opens_at=later, state="closed")


@pytest.fixture
def held(line, event, fan, now):
    buyer = Buyer(event, fan, now)
    SaleQueue.objects.update(state="scheduled")
    return buyer


def act(action, buyer, operator, now):
    action(event_id=buyer.event.pk, person=str(buyer.fan.pk), by=operator, why="a bot", now=now)


def test_a_blocked_person_can_not_begin_to_pay(held, operator, now):
    act(queues.block, held, operator, now)

    with pytest.raises(BlockedFromBuying):
        held.start()
    assert held.reservation.state == "held"


def test_redis_is_not_asked(held, operator, now, monkeypatch):
    """The audit row is committed before Redis hears of it."""
    monkeypatch.setattr("waiting_queue.services.people._move_out", lambda *args: "none")
    act(queues.block, held, operator, now)

    with pytest.raises(BlockedFromBuying):
        held.start()


def test_an_unblocked_person_pays(held, operator, now):
    act(queues.block, held, operator, now)
    store.restore_blocks(held.event.pk, {str(held.fan.pk): "a bot"})  # as the tick does
    act(queues.unblock, held, operator, now)

    assert held.start().state == "prepared"


def test_others_pay(held, event, operator, now):
    other = make_user(password=None)
    queues.block(event_id=event.pk, person=str(other.pk), by=operator, why="a bot", now=now)

    assert held.start().state == "prepared"

"""Fans join, claim, complete and leave."""

import asyncio
from datetime import datetime

import pytest

from tests.making import make_event
from tests.waiting_queue.services.steps import join_all, seconds
from ticketing.core import redis
from ticketing.core.server_signals import server_behind
from waiting_queue import errors, services, store
from waiting_queue.models import SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
State = SaleQueue.State


def test_a_fan_joins_is_called_claims_and_completes(open_queue, now):
    services.move_queue(event_id=open_queue.pk, to=State.PAUSED, by=None, now=now)
    join_all(open_queue, ["1", "2"], now)
    services.move_queue(event_id=open_queue.pk, to=State.OPEN, by=None, now=now)
    services.tick_open_queues(now=now + seconds(1))

    services.claim(event_id=open_queue.pk, person="1", now=now + seconds(2))
    inside = services.require_admission(event_id=open_queue.pk, person="1", now=now + seconds(3))
    services.complete(event_id=open_queue.pk, person="1", now=now + seconds(4))

    assert inside.number == 1
    with pytest.raises(errors.NotAdmitted):
        services.require_admission(event_id=open_queue.pk, person="1", now=now + seconds(5))


def test_joining_costs_no_sql(open_queue, now, django_assert_num_queries):
    with django_assert_num_queries(0):
        services.join(event_id=open_queue.pk, person="1", now=now)
        services.standing(event_id=open_queue.pk, person="1", now=now)
        services.leave(event_id=open_queue.pk, person="1", now=now)


def test_a_person_stands_in_one_line_only(open_queue, operator, now):
    other = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    services.move_queue(event_id=other.pk, to=State.OPEN, by=operator, now=now)
    join_all(open_queue, ["1"], now)

    with pytest.raises(errors.InAnotherLine) as refusal:
        services.join(event_id=other.pk, person="1", now=now + seconds(1))

    assert refusal.value.details == {"events": [open_queue.pk]}
    assert store.run(store.peek(other.pk, "1", now)).state == "left"


def test_somebody_who_left_one_line_may_join_another(open_queue, operator, now):
    other = SaleQueue.objects.create(event=make_event(now), opens_at=now)
    services.move_queue(event_id=other.pk, to=State.OPEN, by=operator, now=now)
    join_all(open_queue, ["1"], now)
    store.run(
        store.leave(open_queue.pk, "1", now)
    )  # like an absence, this does not delist the person

    joined = services.join(event_id=other.pk, person="1", now=now + seconds(11))

    assert joined.state in {"waiting", "admitted"}


# -- a site that answers late ---------------------------------------------------------------------


async def report_behind() -> None:
    """As a server process does every second while it is behind."""
    await server_behind.asend_robust(sender=None)
    await redis.close_async_clients()


def called(queue: SaleQueue, now: datetime) -> int:
    """One person is called; the seconds that they have to claim."""
    for state, moment in ((State.PAUSED, 0), (State.OPEN, 1)):
        services.move_queue(event_id=queue.pk, to=state, by=None, now=now + seconds(moment))
        if state == State.PAUSED:
            join_all(queue, ["1"], now)
    services.tick_open_queues(now=now + seconds(2))
    assert services.standing(event_id=queue.pk, person="1", now=now + seconds(2)).state == "ready"
    return queue.claim_seconds


@pytest.mark.parametrize(("is_behind", "state"), [(True, "ready"), (False, "expired")])
def test_nobody_loses_their_turn_while_a_process_says_that_it_is_behind(
    open_queue, now, is_behind, state
):
    allowed = called(open_queue, now)
    for second in range(3, allowed + 10):
        if is_behind and second % 4 == 0:
            asyncio.run(report_behind())
        services.tick_open_queues(now=now + seconds(second))

    later = now + seconds(allowed + 10)
    assert services.standing(event_id=open_queue.pk, person="1", now=later).state == state

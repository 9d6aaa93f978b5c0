"""Fans join, claim, complete and leave."""

import pytest

from tests.making import make_event
from tests.waiting_queue.services.steps import join_all, seconds
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

"""What runs every few seconds costs as many statements for several queues as for one."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from reservations import services as reservations
from tests.making import make_event
from waiting_queue import services
from waiting_queue.models import SaleQueue


@pytest.fixture
def add_queues(queue, operator, now):
    """Open so many queues like the first one, each of an event of its own."""

    def add(count):
        for _ in range(count):
            one = SaleQueue.objects.get(pk=queue.pk)
            one.pk = make_event(now).pk
            one.save(force_insert=True)
            services.move_queue(event_id=one.pk, to="open", by=operator, now=now)

    return add


def statements(work):
    for _ in range(2):
        work()  # the first tick makes the line; what the next one counts is known for a while
    with CaptureQueriesContext(connection) as seen:
        work()
    return len(seen)


@pytest.mark.django_db
@pytest.mark.parametrize(
    "work",
    [
        lambda now: services.tick_open_queues(now=now),
        lambda now: services.drain_journals(),
        lambda now: services.handle_groups(now=now),
        lambda now: services.reconcile_blocks(now=now),
        lambda now: services.reconcile_demotions(now=now),
        lambda now: services.reconcile_bypasses(),
        lambda now: reservations.mark_people_at_limit(),
        lambda now: reservations.complete_finished_passes(now=now),
    ],
    ids=[
        *("tick", "journals", "groups", "blocks"),
        *("demotions", "bypasses", "people at their limit", "passes"),
    ],
)
def test_the_number_of_queues_does_not_matter(add_queues, now, work):
    add_queues(1)
    of_one = statements(lambda: work(now))

    add_queues(3)

    assert statements(lambda: work(now)) == of_one > 0

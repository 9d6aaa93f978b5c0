"""Several workers run the autopilot at once: one decides; without the lock, all would."""

from datetime import timedelta
from threading import Barrier, Event

import pytest
from django.db import transaction

from tests.making import make_user
from tests.race import together
from ticketing.console import selectors, services, store
from ticketing.console.services import autopilot
from ticketing.console.services.autopilot_rules import AutopilotBounds
from waiting_queue import services as queues
from waiting_queue.locks import queue_for_update
from waiting_queue.models import QueueChange, SaleQueue

pytestmark = pytest.mark.django_db(transaction=True)
MANY = 4


@pytest.fixture
def piloted(event, now):
    operator = make_user(password=None)
    queue = SaleQueue.objects.create(event=event, opens_at=now - timedelta(minutes=1))
    queues.move_queue(event_id=queue.pk, to="open", by=operator, now=now)
    bounds = AutopilotBounds(lowest=0.1, highest=50, page_ms=800, database_ms=60_000)
    queues.set_knobs(event_id=queue.pk, knobs={"admit_per_second": 0.4}, by=operator, now=now)
    services.enable_autopilot(event_id=queue.pk, bounds=bounds, by=operator, now=now)
    store.record_heartbeat("web host 1", now, 5_000)
    return queue


def steps():
    return QueueChange.objects.filter(why__startswith="autopilot").count()


def test_of_many_workers_one_decides(piloted, now):
    results = together(MANY, lambda _: services.run_autopilots(now=now))

    assert sum(bool(result) for result in results) == 1
    assert (steps(), SaleQueue.objects.get().admit_per_second) == (1, 0.2)


def test_control_without_the_lock_all_of_them_decide(piloted, now, monkeypatch):
    all_have_read = Barrier(MANY)

    class Unlocked:
        """Lets every worker read the autopilot before any of them writes."""

        @staticmethod
        def is_due(autopilot, now):
            all_have_read.wait(60)
            return True

    monkeypatch.setattr(autopilot, "queue_for_update", lambda pk: SaleQueue.objects.get(pk=pk))
    monkeypatch.setattr(autopilot.Autopilot, "is_due", Unlocked.is_due)

    results = together(MANY, lambda _: services.run_autopilots(now=now))

    assert sum(bool(result) for result in results) > 1


def test_a_wait_for_a_row_lock_counts_as_a_slow_database(piloted):
    locked, measured = Event(), Event()

    def work(number):
        with transaction.atomic():
            if number:
                locked.wait(60)
            queue_for_update(piloted.pk)
            locked.set()
            if not number:
                measured.wait(60)

    def watch():
        locked.wait(60)
        for _ in range(500):
            if (waited := selectors.database_times()["lock_ms"]) > 0:
                break
        measured.set()
        return waited

    waited = together(3, lambda number: watch() if number == 2 else work(number))[2]

    assert waited > 0
    assert selectors.database_times()["lock_ms"] == 0
